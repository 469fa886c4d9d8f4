import { type FormEvent, useEffect, useRef, useState } from "react"
import { askSession, isRefused, type Scheme, useSession } from "../app/login.ts"
import { issuerLogin, keepPlace } from "../app/returning.ts"
import { notedFocus } from "../parts/focus.ts"
import { messageOf } from "../parts/Problem.tsx"
import { login } from "../texts/en.ts"
import css from "./login.module.css"

type Typed = "password" | "key" | "token"

const isTyped = (scheme: Scheme): scheme is { readonly kind: Typed } => scheme.kind !== "oidc"

const problemOf = (): string | undefined => {
  const problem = new URLSearchParams(location.search).get("problem") ?? ""
  return new Map(Object.entries(login.problems)).get(problem)
}

const Fields = ({ kind }: { readonly kind: Typed }) => {
  if (kind !== "password") {
    return (
      <label className={css.field}>
        {login.secret[kind]}
        <input name={kind} type="password" autoComplete="off" spellCheck={false} required />
      </label>
    )
  }
  return (
    <>
      <label className={css.field}>
        {login.user}
        <input name="user" autoComplete="username" autoCapitalize="none" spellCheck={false} required />
      </label>
      <label className={css.field}>
        {login.password}
        <input name="password" type="password" autoComplete="current-password" />
      </label>
    </>
  )
}

const failureOf = (error: unknown, kind: Typed): string => (isRefused(error) ? login.wrong[kind] : messageOf(error))

const Form = ({ kinds }: { readonly kinds: ReadonlyArray<Typed> }) => {
  const [kind, setKind] = useState<Typed>(kinds[0] ?? "key")
  const [failure, setFailure] = useState<string>()
  const [isBusy, setBusy] = useState(false)
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = event.currentTarget
    setBusy(true)
    setFailure(undefined)
    askSession("POST", Object.fromEntries([...new FormData(form)].filter(([name]) => name !== "kind"))).catch(
      (error: unknown) => {
        setFailure(failureOf(error, kind))
        setBusy(false)
        form.querySelector<HTMLInputElement>("input[type=password]")?.select()
      }
    )
  }
  return (
    <form className={css.form} onSubmit={submit}>
      {kinds.length < 2 ? null : (
        <fieldset className={css.kinds}>
          <legend>{login.with}</legend>
          {kinds.map((one) => (
            <label key={one} className={css.kind}>
              <input
                type="radio"
                name="kind"
                value={one}
                checked={one === kind}
                onChange={() => {
                  setKind(one)
                  setFailure(undefined)
                }}
              />
              {login.schemes[one]}
            </label>
          ))}
        </fieldset>
      )}
      <Fields key={kind} kind={kind} />
      <p role="alert" className={css.failure}>
        {failure}
      </p>
      <button type="submit" className={css.submit} disabled={isBusy}>
        {isBusy ? login.busy : login.submit}
      </button>
    </form>
  )
}

/**
 * Asks for a login, in front of everything else, until there is one.
 *
 * @param isOver whether it covers a page, which a login at an issuer must not leave
 */
const LoginDialog = ({ isOver }: { readonly isOver: boolean }) => {
  const ref = useRef<HTMLDialogElement>(null)
  const schemes = useSession()?.schemes ?? []
  const [problem] = useState(problemOf)
  useEffect(() => {
    const dialog = ref.current
    const giveFocusBack = notedFocus()
    if (dialog?.open === false) dialog.showModal()
    // The browser focuses the first element: an issuer's button, or the choice of schemes, which has a value already.
    if (document.activeElement?.tagName !== "A")
      dialog?.querySelector<HTMLElement>("label > input:not([type=radio])")?.focus()
    return () => {
      dialog?.close()
      giveFocusBack()
    }
  }, [])
  const issuers = schemes.filter((scheme) => scheme.kind === "oidc")
  const kinds = schemes.filter(isTyped).map(({ kind }) => kind)
  return (
    <dialog
      ref={ref}
      className={css.dialog}
      aria-labelledby="login-title"
      onCancel={(event) => event.preventDefault()}
      onKeyDown={(event) => {
        // Browsers close a dialog on a second Escape, even if the first was prevented.
        if (event.key === "Escape") event.preventDefault()
      }}
    >
      <div className={css.box}>
        <h1 id="login-title">{isOver ? login.again : login.title}</h1>
        {isOver ? <p>{login.ended}</p> : null}
        {problem === undefined ? null : (
          <p role="alert" className={css.problem}>
            {problem}
          </p>
        )}
        {issuers.map(({ issuer, name }) => (
          <a
            key={issuer}
            className={css.issuer}
            href={issuerLogin(issuer)}
            onClick={keepPlace}
            {...(isOver ? { target: "_blank", rel: "noopener" } : {})}
          >
            {login.at(name)}
            {isOver ? <small>{login.newTab}</small> : null}
          </a>
        ))}
        {issuers.length === 0 ? null : <p className={css.or}>{login.or}</p>}
        <Form kinds={kinds} />
      </div>
    </dialog>
  )
}

export default LoginDialog

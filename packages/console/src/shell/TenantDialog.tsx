import { useEffect, useState } from "react"
import { askSession, useSession } from "../app/login.ts"
import { chooseTenant, useRecentTenants } from "../app/tenant.ts"
import { Dialog } from "../parts/Dialog.tsx"
import { login, shell } from "../texts/en.ts"
import css from "./login.module.css"
import look from "./shell.module.css"

/** Maximum number of listed tenants; the search finds the others. */
const most = 200

/** The dialog focuses it. React has no attribute of this name. */
const first = (input: HTMLInputElement | null): void => input?.setAttribute("autofocus", "")

/** A choice among the tenants that the reader may see; recently chosen ones come first. */
const TenantDialog = ({ current, close }: { readonly current: string; readonly close: () => void }) => {
  const [text, setText] = useState("")
  const session = useSession()
  const recent = useRecentTenants()
  // A tenant may have been added since the page was opened.
  useEffect(() => void askSession().catch(() => {}), [])
  const place = (name: string) => (recent.includes(name) ? recent.indexOf(name) : recent.length)
  const found = (session?.tenants ?? [])
    .filter(({ name }) => name.toLowerCase().includes(text.trim().toLowerCase()))
    .toSorted((one, other) => place(one.name) - place(other.name))
  const choose = (name: string) => {
    chooseTenant(name)
    close()
  }
  return (
    <Dialog title={shell.tenant} close={close}>
      <form
        className={look.form}
        onSubmit={(event) => {
          event.preventDefault()
          const [best] = found
          if (best !== undefined) choose(best.name)
        }}
      >
        <label className={look.field}>
          {login.filter}
          <input
            ref={first}
            value={text}
            onChange={(event) => setText(event.target.value)}
            spellCheck={false}
            maxLength={63}
          />
        </label>
      </form>
      <h3>{login.tenants}</h3>
      <ul className={css.tenants}>
        {found.slice(0, most).map(({ name, role }) => (
          <li key={name}>
            <button type="button" className={css.tenant} aria-current={name === current} onClick={() => choose(name)}>
              <span>{name}</span>
              <span>{session?.authentication ? role : ""}</span>
            </button>
          </li>
        ))}
      </ul>
      <p role="status">{found.length === 0 ? login.nothing : ""}</p>
    </Dialog>
  )
}

export default TenantDialog

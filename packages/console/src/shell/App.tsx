import { Suspense, useEffect, useRef, useState } from "react"
import { themes } from "../app/colours.ts"
import { askNow, useConnection } from "../app/gateway.ts"
import { addressOf } from "../app/location.ts"
import { isNeeded, refreshed, useSession, wasAsked } from "../app/login.ts"
import { useTenant, useTenantOfAddress } from "../app/tenant.ts"
import { useTheme } from "../app/theme.ts"
import { Button } from "../parts/Button.tsx"
import { Later, LaterDialog, type Load } from "../parts/Later.tsx"
import { common, shell } from "../texts/en.ts"
import { Arrival } from "./Arrival.tsx"
import { ErrorBoundary } from "./ErrorBoundary.tsx"
import { Keys } from "./Keys.tsx"
import { Nav } from "./Nav.tsx"
import { contentOf, forget, type Page, usePage } from "./router.tsx"
import css from "./shell.module.css"
import { Toasts } from "./Toasts.tsx"

const tenantDialog = () => import("./TenantDialog.tsx")
const accountDialog = () => import("./AccountDialog.tsx")
const loginDialog = () => import("./LoginDialog.tsx")
const noTenant = () => import("./NoTenant.tsx")

/** A button of the header that shows a present setting, and opens a dialog to change it. */
const Choice = ({
  label,
  value,
  load
}: {
  readonly label: string
  readonly value: string
  readonly load: Load<{ readonly current: string; readonly close: () => void }>
}) => {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button className={`${css.choice} ${css.named}`} onPress={() => setOpen(true)}>
        <span className={css.choiceLabel}>{label}</span> {value}
      </Button>
      {isOpen ? <LaterDialog load={load} props={{ current: value, close: () => setOpen(false) }} /> : null}
    </>
  )
}

/**
 * Shows the page once the user is known, and keeps it from then on: a later login covers it, so that no input is lost.
 */
const useStart = (): { readonly isStarted: boolean; readonly isLoginNeeded: boolean } => {
  const session = useSession()
  const [isAsked, setAsked] = useState(session !== undefined || wasAsked())
  const isLoginNeeded = isNeeded(session)
  const started = useRef(false)
  started.current ||= isAsked && !isLoginNeeded
  useEffect(() => void refreshed.then(() => setAsked(true)), [])
  return { isStarted: started.current, isLoginNeeded }
}

const ThemeSwitch = () => {
  const [theme, setTheme] = useTheme()
  const next = themes[(themes.indexOf(theme) + 1) % themes.length]!
  return (
    <Button className={css.choice} onPress={() => setTheme(next)}>
      <span aria-hidden="true" className={css.symbol}>
        ◐
      </span>
      <span className={css.long}>
        <span className={css.choiceLabel}>{shell.colours}</span> {shell.themes[theme]}
      </span>
    </Button>
  )
}

/** Shows that the gateway is away. Its space is reserved, so that nothing moves. */
const Connection = () => {
  const connection = useConnection()
  return (
    <div role="status" className={css.connection}>
      {connection === "answers" ? null : (
        <div className={css.lost}>
          <span>{connection === "barred" ? shell.barred : shell.lost}</span>
          {connection === "barred" ? (
            <a className={css.plain} href={addressOf([])} target="_blank" rel="noreferrer">
              {shell.logInThere}
            </a>
          ) : null}
          <Button className={css.plain} onPress={askNow}>
            {shell.askNow}
          </Button>
        </div>
      )}
    </div>
  )
}

const Content = ({ page }: { readonly page: Page | undefined }) => {
  if (page === undefined) return <h1 className={css.failure}>{common.noPage}</h1>
  const Loaded = contentOf(page)
  return (
    <Suspense fallback={<p className={css.loading}>{shell.loading}</p>}>
      <Loaded />
    </Suspense>
  )
}

export const App = () => {
  const page = usePage()
  const { isStarted, isLoginNeeded } = useStart()
  const tenant = useTenant()
  const unseen = useTenantOfAddress()
  const { principal, tenants } = useSession() ?? {}
  const title = page?.title ?? common.noPage
  return (
    <>
      <button type="button" className={css.skip} onClick={skip}>
        {shell.skip}
      </button>
      <header className={css.header}>
        <span className={css.brand}>{shell.product}</span>
        <Nav current={page} />
        <span className={css.gap} />
        {tenant === "" && unseen === undefined ? null : (
          <Choice label={shell.tenant} value={tenant || shell.unseen} load={tenantDialog} />
        )}
        {principal && principal !== "anonymous" ? (
          <Choice label={shell.account} value={shell.nameOf(principal)} load={accountDialog} />
        ) : null}
        <ThemeSwitch />
        <Keys />
      </header>
      <Arrival page={title} />
      <Connection />
      <main id="main" tabIndex={-1} className={css.main}>
        <ErrorBoundary key={page?.path} again={() => page && forget(page)}>
          {!isStarted ? (
            <p className={css.loading}>{shell.loading}</p>
          ) : unseen !== undefined || (principal && tenants?.length === 0) ? (
            <Later load={noTenant} props={{ unseen }} />
          ) : (
            <Content page={page} />
          )}
        </ErrorBoundary>
      </main>
      <Toasts />
      {isLoginNeeded ? <Later load={loginDialog} props={{ isOver: isStarted }} /> : null}
    </>
  )
}

/** A button rather than a link, because the fragment of the address holds the state of the page. */
const skip = (): void => document.getElementById("main")?.focus()

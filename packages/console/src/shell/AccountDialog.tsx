import { useState } from "react"
import { nameTenant } from "../app/location.ts"
import { askSession, useSession } from "../app/login.ts"
import { Button } from "../parts/Button.tsx"
import { Dialog } from "../parts/Dialog.tsx"
import { Problem } from "../parts/Problem.tsx"
import look from "../parts/parts.module.css"
import { common, login } from "../texts/en.ts"
import css from "./login.module.css"

/** Ends the session in all tabs, and reloads the page so that none of its content stays visible. */
const logOut = async (): Promise<void> => {
  await askSession("DELETE")
  // The next user may not see this tenant; for the same one the tab knows it.
  nameTenant("", "replace")
  location.reload()
}

/** The logged-in user with roles and end of the session, and the way to log out. */
const AccountDialog = ({ close }: { readonly close: () => void }) => {
  const session = useSession()
  const [error, setError] = useState<unknown>()
  const moment = (time: string | null | undefined) => (time ? common.moment(Date.parse(time)) : "")
  const { everyTenant, tenants = [] } = session ?? {}
  return (
    <Dialog title={login.account} close={close}>
      <dl className={css.facts}>
        <dt>{login.principal}</dt>
        <dd>{session?.principal}</dd>
        <dt>{login.scheme}</dt>
        <dd>{session?.scheme ? login.schemes[session.scheme] : null}</dd>
        <dt>{login.ends}</dt>
        <dd>{moment(session?.endsAt)}</dd>
        <dt>{login.idle}</dt>
        <dd>{moment(session?.idleUntil)}</dd>
        <dt>{login.roles}</dt>
        <dd>
          {everyTenant ? (
            <div>
              {everyTenant}: {login.everyTenant}
            </div>
          ) : null}
          {tenants
            .filter(({ role }) => role !== everyTenant)
            .map(({ name, role }) => (
              <div key={name}>
                {role}: {name}
              </div>
            ))}
          {tenants.length === 0 ? login.none : null}
        </dd>
      </dl>
      <Problem error={error} />
      <div>
        <Button className={look.button!} onPress={() => void logOut().catch(setError)}>
          {login.logOut}
        </Button>
      </div>
    </Dialog>
  )
}

export default AccountDialog

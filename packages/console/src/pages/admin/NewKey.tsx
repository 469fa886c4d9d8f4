import { useState } from "react"
import { gatewayBase } from "../../app/base.ts"
import { answering, gateway } from "../../app/gateway.ts"
import { type Role, roles, useRole } from "../../app/session.ts"
import { Button } from "../../parts/Button.tsx"
import { copyAndSay } from "../../parts/copy.ts"
import { Dialog } from "../../parts/Dialog.tsx"
import { FormDialog } from "../../parts/FormDialog.tsx"
import pages from "../../parts/pages.module.css"
import parts from "../../parts/parts.module.css"
import { admin, common } from "../../texts/en.ts"
import css from "./admin.module.css"

const t = admin.keys

/** Days until a key expires; 0 means never. */
const ends = [7, 30, 90, 365, 0]

export interface MadeKey {
  readonly name: string
  readonly key: string
}

/** A new key, which is shown once. */
export const ShownKey = ({
  tenant,
  made,
  close
}: {
  readonly tenant: string
  readonly made: MadeKey
  readonly close: () => void
}) => (
  <Dialog title={t.made(made.name)} close={close}>
    <p className={pages.notice}>{t.once}</p>
    <div className={css.key}>
      <input
        className={pages.input}
        readOnly
        value={made.key}
        aria-label={t.made(made.name)}
        onFocus={({ target }) => target.select()}
      />
      <Button className={parts.primary} onPress={() => void copyAndSay(made.key)}>
        {common.copy}
      </Button>
    </div>
    <p>{t.example}</p>
    <pre className={pages.code}>{`curl -H "X-API-Key: $KEY" ${gatewayBase}v1/${tenant}/flowline`}</pre>
    <div>
      <Button className={parts.button} onPress={close}>
        {t.done}
      </Button>
    </div>
  </Dialog>
)

/** Creates a key. The page shows it, also if this form was closed before it was there. */
export const NewKey = ({
  tenant,
  made,
  close
}: {
  readonly tenant: string
  readonly made: (key: MadeKey) => void
  readonly close: () => void
}) => {
  const own = useRole()
  const [name, setName] = useState("")
  const [role, setRole] = useState<Role>("operator")
  const [days, setDays] = useState(90)
  const make = async () => {
    const payload = { name: name.trim(), role, ...(days === 0 ? {} : { expiresInDays: days }) }
    made(await answering(() => gateway.keys.create({ params: { tenant }, payload })))
  }

  return (
    <FormDialog title={t.make} action={t.make} isReady={name.trim() !== ""} act={make} close={close}>
      <label className={pages.field}>
        {common.name}
        <input
          value={name}
          maxLength={100}
          required
          autoComplete="off"
          onChange={({ target }) => setName(target.value)}
        />
        <small>{t.nameHelp}</small>
      </label>
      <label className={pages.field}>
        {t.role}
        <select value={role} onChange={({ target }) => setRole(roles.find((one) => one === target.value) ?? role)}>
          {roles.slice(0, roles.indexOf(own) + 1).map((one) => (
            <option key={one}>{one}</option>
          ))}
        </select>
      </label>
      <label className={pages.field}>
        {t.ends}
        <select value={days} onChange={({ target }) => setDays(Number(target.value))}>
          {ends.map((one) => (
            <option key={one} value={one}>
              {one === 0 ? t.never : t.inDays(one)}
            </option>
          ))}
        </select>
      </label>
    </FormDialog>
  )
}

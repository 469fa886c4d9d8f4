import { useState } from "react"
import { answering, gateway } from "../../app/gateway.ts"
import { go, staying } from "../../app/location.ts"
import { toast } from "../../app/toasts.ts"
import { FormDialog } from "../../parts/FormDialog.tsx"
import pages from "../../parts/pages.module.css"
import { visible } from "../../parts/values.ts"
import { data } from "../../texts/en.ts"
import { changed } from "./changes.ts"

const t = data.resources

/** Registers a file of the tenant's data area as a version of a stored resource. */
const RegisterDialog = ({
  tenant,
  url: begin,
  to,
  close
}: {
  readonly tenant: string
  /** The initial path. */
  readonly url: string
  readonly to: (path: ReadonlyArray<string>) => string
  readonly close: () => void
}) => {
  const [url, setUrl] = useState(begin)
  const [name, setName] = useState(begin)
  const [version, setVersion] = useState("")
  const [properties, setProperties] = useState("")
  const register = async () => {
    const payload = new FormData()
    payload.set("url", url)
    if (version !== "") payload.set("version", version)
    if (properties.trim() !== "") payload.set("properties", properties)
    const isHere = staying()
    await answering(() => gateway.stored.register({ params: { tenant, name }, payload }))
    toast(t.registered(visible(name)))
    if (isHere()) go(to(name.split("/")))
    changed()
  }
  return (
    <FormDialog
      title={t.registerTitle}
      action={t.register}
      isReady={url !== "" && name !== ""}
      act={register}
      close={close}
    >
      <label className={pages.field}>
        {t.registerUrl}
        <input value={url} onChange={({ target }) => setUrl(target.value)} required spellCheck={false} />
        <small>{t.registerUrlHelp}</small>
      </label>
      <label className={pages.field}>
        {t.registerName}
        <input value={name} onChange={({ target }) => setName(target.value)} required spellCheck={false} />
      </label>
      <label className={pages.field}>
        {t.registerVersion}
        <input
          value={version}
          onChange={({ target }) => setVersion(target.value)}
          inputMode="numeric"
          pattern="[0-9]*"
        />
        <small>{t.registerVersionHelp}</small>
      </label>
      <label className={pages.field}>
        {t.registerProperties}
        <textarea
          rows={3}
          value={properties}
          onChange={({ target }) => setProperties(target.value)}
          spellCheck={false}
        />
        <small>{t.registerPropertiesHelp}</small>
      </label>
    </FormDialog>
  )
}

export default RegisterDialog

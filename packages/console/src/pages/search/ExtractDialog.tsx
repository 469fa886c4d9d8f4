import { useState } from "react"
import { answering, gateway } from "../../app/gateway.ts"
import { useOnce } from "../../app/repeat.ts"
import { FormDialog } from "../../parts/FormDialog.tsx"
import shared from "../../parts/pages.module.css"
import { search as t } from "../../texts/en.ts"
import type { Started } from "./Extractions.ts"
import type { Field } from "./Fields.ts"
import { patternOf, queryOf } from "./Request.ts"
import type { State } from "./State.ts"
import css from "./search.module.css"

type Format = "csv" | "json"

/** Saves all documents of a search in a file: the gateway writes it and puts it into an archive. */
const ExtractDialog = ({
  tenant,
  state,
  zone,
  fields,
  total,
  started,
  close
}: {
  readonly tenant: string
  readonly state: State
  readonly zone: string
  readonly fields: ReadonlyArray<Field>
  readonly total: number | undefined
  readonly started: (extraction: Started) => void
  readonly close: () => void
}) => {
  const [format, setFormat] = useState<Format>("csv")
  const [description, setDescription] = useState("")
  const once = useOnce()
  const [names, setNames] = useState(() =>
    state.columns.length === 0 ? "" : [...new Set(["@timestamp", ...state.columns])].join("\n")
  )
  const wanted = [...new Set(names.split("\n").map((name) => name.trim()))].filter((name) => name !== "")
  const unknown = fields.length === 0 ? [] : wanted.filter((name) => !fields.some((field) => field.name === name))
  const start = async () => {
    const payload = {
      format,
      index: patternOf(tenant, state),
      filters: queryOf(state, zone),
      time_zone: zone,
      ...(description === "" ? {} : { description }),
      ...(wanted.length === 0
        ? {}
        : { fields: wanted.map((name) => (name === "@timestamp" ? { name, type: "date" } : { name })) })
    }
    const { id, execution, archive } = await answering(() =>
      gateway.extraction.extract({ params: { tenant }, payload }, once([tenant, payload]))
    )
    started({
      tenant,
      flowline: id,
      execution,
      archive,
      title: description || t.extractionOf(payload.index, format)
    })
  }
  return (
    <FormDialog title={t.extract} action={t.startExtraction} act={start} close={close}>
      <p>{t.extractHelp(total)}</p>
      <fieldset className={css.choices}>
        <legend>{t.format}</legend>
        {(["csv", "json"] as const).map((one) => (
          <label key={one}>
            <input type="radio" name="format" checked={format === one} onChange={() => setFormat(one)} />
            {t.formats[one]}
          </label>
        ))}
      </fieldset>
      <label className={shared.field}>
        {t.extractFields}
        <textarea rows={6} value={names} spellCheck={false} onChange={({ target }) => setNames(target.value)} />
        <small role="status">{unknown.length === 0 ? t.extractFieldsHelp : t.unknownFields(unknown.join(", "))}</small>
      </label>
      <label className={shared.field}>
        {t.description}
        <input value={description} maxLength={4096} onChange={({ target }) => setDescription(target.value)} />
      </label>
    </FormDialog>
  )
}

export default ExtractDialog

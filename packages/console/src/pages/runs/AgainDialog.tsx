import { useState } from "react"
import { answering, gateway } from "../../app/gateway.ts"
import { addressOf, go, staying } from "../../app/location.ts"
import { useOnce } from "../../app/repeat.ts"
import { toast } from "../../app/toasts.ts"
import { FormDialog } from "../../parts/FormDialog.tsx"
import pages from "../../parts/pages.module.css"
import { visible } from "../../parts/values.ts"
import { common, runs as t } from "../../texts/en.ts"
import type { Detail } from "./models.ts"

interface Parameter {
  readonly name: string
  readonly type: string
  readonly choices: ReadonlyArray<string> | undefined
  readonly description: string
  readonly isRequired: boolean
}

const membersOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {}

/** The parameters of a flowline, from its JSON Schema. */
const parametersOf = (schema: unknown): ReadonlyArray<Parameter> => {
  const { properties, required } = membersOf(schema)
  return Object.entries(membersOf(properties)).map(([name, value]) => {
    const { type, enum: choices, description } = membersOf(value)
    return {
      name,
      type: typeof type === "string" ? type : "string",
      choices: Array.isArray(choices) ? choices.map(String) : undefined,
      description: typeof description === "string" ? description : "",
      isRequired: Array.isArray(required) && required.includes(name)
    }
  })
}

/** The typed text as a value. If it does not fit, the gateway reports it. */
const valueOf = (typed: string, type: string): unknown => {
  if (type === "boolean") return typed === "true"
  if (type !== "integer" && type !== "number") return typed
  const value = Number(typed)
  return typed.trim() === "" || Number.isNaN(value) ? typed : value
}

/** Runs the same version of the flowline with other parameters than the shown run had. */
const AgainDialog = ({
  tenant,
  run,
  schema,
  close
}: {
  readonly tenant: string
  readonly run: Detail
  readonly schema: unknown
  readonly close: () => void
}) => {
  const parameters = parametersOf(schema)
  const [typed, setTyped] = useState<Readonly<Record<string, string>>>(() =>
    Object.fromEntries(
      Object.entries(run.parameters).map(([name, value]) => [
        name,
        typeof value === "string" ? value : JSON.stringify(value)
      ])
    )
  )
  const { flowlineId: id, version } = run
  const once = useOnce()
  const start = async () => {
    const given = parameters.flatMap(({ name, type }) => {
      const text = typed[name]
      return text === undefined || (text === "" && type !== "string") ? [] : [[name, valueOf(text, type)] as const]
    })
    const request = { params: { tenant, id }, query: { version }, payload: { parameters: Object.fromEntries(given) } }
    const isHere = staying()
    const made = await answering(() => gateway.flowlines.execute(request, once(request)))
    if (isHere()) go(addressOf(["runs", id, made.id]))
    else toast(common.started)
  }
  return (
    <FormDialog title={t.again.title} action={t.again.run} act={start} close={close}>
      <p>{t.again.help(version)}</p>
      {parameters.map(({ name, type, choices, description, isRequired }) => {
        const value = typed[name] ?? ""
        const set = (text: string) => setTyped({ ...typed, [name]: text })
        const options = choices ?? (type === "boolean" ? ["true", "false"] : undefined)
        return (
          // biome-ignore lint/a11y/noLabelWithoutControl: it has an input or a select.
          <label key={name} className={pages.field}>
            <span>
              {visible(name)} {isRequired ? t.again.required : ""}
            </span>
            {options === undefined ? (
              <input
                value={value}
                inputMode={type === "integer" ? "numeric" : type === "number" ? "decimal" : "text"}
                spellCheck={false}
                onChange={({ target }) => set(target.value)}
              />
            ) : (
              <select value={value} onChange={({ target }) => set(target.value)}>
                {options.includes(value) ? null : <option value={value}>{visible(value)}</option>}
                {options.map((option) => (
                  <option key={option}>{option}</option>
                ))}
              </select>
            )}
            {description === "" ? null : <small>{visible(description)}</small>}
          </label>
        )
      })}
    </FormDialog>
  )
}

export default AgainDialog

import { type ReactNode, useId, useState } from "react"
import css from "../../parts/pages.module.css"
import { flowlines } from "../../texts/en.ts"
import own from "./flowlines.module.css"
import { Prose } from "./Prose.tsx"
import { fieldKindOf, isObject, membersOf, type Path, requiredOf, type Schema, textOf, valuesOf } from "./schema.ts"
import { yamlTools } from "./tools.ts"
import { written } from "./written.ts"

const t = flowlines.form

export type Change = (path: Path, value: unknown) => void

interface FieldProps {
  readonly root: Schema
  readonly schema: Schema
  readonly value: unknown
  readonly path: Path
  readonly change: Change
  readonly faultOf: (path: Path) => string | undefined
  readonly isDisabled: boolean
}

/** The text of a value, in a field that takes several types. */
const shown = (kind: string, value: unknown): string => {
  if (value === undefined || value === null) return ""
  if (kind === "texts" && Array.isArray(value) && value.every((one) => typeof one === "string" && !one.includes("\n")))
    return value.join("\n")
  return typeof value === "object" ? written(value) : String(value)
}

/** The value of a field's text; `undefined` removes the setting. */
const valueOf = (kind: string, text: string): unknown => {
  if (text === "") return undefined
  if (kind === "number") return Number.isFinite(Number(text)) && text.trim() !== "" ? Number(text) : text
  if (kind === "texts") return text.replace(/\n+$/, "").split("\n")
  return text
}

const Labelled = ({
  id,
  name,
  isRequired,
  help,
  fault,
  isWide,
  children
}: {
  readonly id: string
  readonly name: string
  readonly isRequired: boolean
  readonly help: string
  readonly fault: string | undefined
  readonly isWide: boolean
  readonly children: ReactNode
}) => (
  <div className={`${css.field} ${isWide ? own.wide : ""}`}>
    <label htmlFor={id}>
      <code>{name}</code> {isRequired ? <span className={css.dim}>{t.required}</span> : null}
    </label>
    {children}
    {fault === undefined ? null : (
      <span role="alert" className={own.fault}>
        {fault}
      </span>
    )}
    {help === "" ? null : (
      <small id={`${id}-help`}>
        <Prose text={help} />
      </small>
    )}
  </div>
)

/** A field for one value, as its schema describes it. */
const Field = ({
  name,
  isRequired,
  ...props
}: FieldProps & { readonly name: string; readonly isRequired: boolean }) => {
  const { root, schema, value, path, change, faultOf, isDisabled } = props
  const id = useId()
  // The typed text stays until the field is left, because the flowline's text may spell the value differently.
  const [typed, setTyped] = useState<string>()
  const [problem, setProblem] = useState<string>()
  const kind = fieldKindOf(root, schema)
  const help = [textOf(schema["description"]), kind === "texts" ? t.onePerLine : kind === "yaml" ? t.asYaml : ""]
    .filter((part) => part !== "")
    .join(" ")
  const placeholder = schema["default"] === undefined ? "" : shown("yaml", schema["default"])
  if (kind === "object") {
    return (
      <details className={own.group} open={value !== undefined}>
        <summary>
          <code>{name}</code>
        </summary>
        {help === "" ? null : (
          <p className={css.dim}>
            <Prose text={help} />
          </p>
        )}
        <Fields {...props} />
      </details>
    )
  }
  const take = (read: () => unknown) => {
    try {
      change(path, read())
      setProblem(undefined)
    } catch (cause) {
      setProblem(cause instanceof Error ? cause.message : String(cause))
    }
  }
  const commit = (text: string) => {
    setTyped(text)
    const isYaml = kind === "yaml" || (isObject(value) && kind !== "texts" && kind !== "number")
    if (text !== "" && isYaml) yamlTools.use(({ parse }) => take(() => parse(text, { logLevel: "silent" })))
    else take(() => valueOf(kind, text))
  }
  const outer = shown(kind, value)
  const text = typed ?? outer
  const common = {
    id,
    disabled: isDisabled,
    "aria-describedby": help === "" ? undefined : `${id}-help`,
    "aria-required": isRequired,
    onBlur: () => {
      if (problem === undefined) setTyped(undefined)
    }
  }
  const options = kind === "choice" || kind === "boolean" ? valuesOf(root, schema).map(String) : []
  return (
    <Labelled
      id={id}
      name={name}
      isRequired={isRequired}
      help={help}
      fault={problem ?? faultOf(path)}
      isWide={kind === "texts" || outer.length > 36}
    >
      {kind === "choice" || kind === "boolean" ? (
        <select
          {...common}
          value={outer}
          onChange={({ target }) => {
            const chosen = valuesOf(root, schema).find((one) => String(one) === target.value)
            change(path, chosen)
          }}
        >
          <option value="">{placeholder === "" ? t.notSet : t.byDefault(placeholder)}</option>
          {outer === "" || options.includes(outer) ? null : <option value={outer}>{outer}</option>}
          {options.map((option) => (
            <option key={option} value={option}>
              {option}
            </option>
          ))}
        </select>
      ) : kind === "number" ? (
        <input
          {...common}
          inputMode="decimal"
          placeholder={placeholder}
          value={text}
          onChange={({ target }) => commit(target.value)}
        />
      ) : (
        <textarea
          {...common}
          className={own.grows}
          rows={1}
          spellCheck={false}
          placeholder={placeholder}
          value={text}
          onChange={({ target }) => commit(target.value)}
        />
      )}
    </Labelled>
  )
}

/** The fields of an object, as its schema describes them: set and required ones first, the others collapsed. */
export const Fields = ({ root, schema, value, path, change, faultOf, isDisabled }: FieldProps) => {
  const given = isObject(value) ? value : {}
  const required = requiredOf(schema)
  const all = [...membersOf(root, schema)]
  // A field must not disappear while the user empties it.
  const [seen] = useState(() => new Set<string>())
  const isFirst = (name: string) => {
    if (required.includes(name) || Object.hasOwn(given, name)) seen.add(name)
    return seen.has(name)
  }
  const first = all.filter(([name]) => isFirst(name))
  const others = all.filter(([name]) => !seen.has(name))
  const fields = (list: typeof all) =>
    list.map(([name, member]) => (
      <Field
        key={name}
        name={name}
        root={root}
        schema={member}
        value={Object.hasOwn(given, name) ? given[name] : undefined}
        path={[...path, name]}
        change={change}
        faultOf={faultOf}
        isRequired={required.includes(name)}
        isDisabled={isDisabled}
      />
    ))
  if (all.length <= 6) return <div className={own.fields}>{fields(all)}</div>
  return (
    <div className={own.fields}>
      {fields(first)}
      {others.length === 0 ? null : (
        <details className={own.group} open={first.length === 0}>
          <summary>{t.more(others.length)}</summary>
          <div className={own.fields}>{fields(others)}</div>
        </details>
      )}
    </div>
  )
}

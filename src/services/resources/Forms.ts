import { Effect, Predicate, Result } from "effect"
import { BadRequest, type Issue } from "../../errors/BadRequest.ts"
import { readJsonText } from "../../languages/document/JsonRequest.ts"
import type { FormPart, PartRules } from "../shared/requests/FormRules.ts"
import { pathFault } from "../shared/requests/RelativePath.ts"
import type { Limits } from "../shared/settings/Settings.ts"
import type { NewRegistration } from "./Resources.ts"

/** The largest version that a registration may choose: as many numbers again may follow it before they lose digits. */
const maxChosen = 2 ** 52

/** Reads the text parts of a form and collects their faults. */
class Parts {
  readonly issues: Array<Issue> = []
  readonly #parts: ReadonlyMap<string, FormPart>

  constructor(parts: ReadonlyMap<string, FormPart>) {
    this.#parts = parts
  }

  text(part: string): string | undefined {
    const found = this.#parts.get(part)
    if (found === undefined) return undefined
    try {
      return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(found.bytes)
    } catch {
      this.issues.push({ part, detail: "Expected UTF-8 text" })
      return undefined
    }
  }

  /** An integer in decimal digits. */
  integer(part: string, least: number, most: number): number | undefined {
    const text = this.text(part)?.trim()
    if (text === undefined || text === "") return undefined
    const value = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN
    if (value >= least && value <= most) return value
    this.issues.push({ part, detail: `Expected a whole number from ${least} to ${most}` })
    return undefined
  }

  /** What was read of them, unless they have faults. */
  read<A>(value: A): Result.Result<A, ReadonlyArray<Issue>> {
    return this.issues.length === 0 ? Result.succeed(value) : Result.fail(this.issues)
  }
}

type Form = ReadonlyMap<string, FormPart>

const rules =
  (read: (form: Form) => Result.Result<unknown, ReadonlyArray<Issue>>, required: string, ...optional: Array<string>) =>
  (limits: Limits): PartRules => ({
    faults: (form) => Result.match(read(form), { onSuccess: () => [], onFailure: (issues) => issues }),
    parts: Object.fromEntries(
      [required, ...optional].map((part) => [
        part,
        { limit: limits.formField, limitName: "formField", required: part === required }
      ])
    ),
    maxParts: limits.parts
  })

/** The content of the form as bytes, to compare requests with the same idempotency key. */
export const fingerprint = (parts: Form): Uint8Array<ArrayBuffer> =>
  new TextEncoder().encode(
    JSON.stringify([...parts].map(([name, { bytes }]) => [name, new TextDecoder().decode(bytes)]).sort())
  )

const accepted = <A>(read: Result.Result<A, ReadonlyArray<Issue>>) =>
  Effect.mapError(Effect.fromResult(read), (issues) => new BadRequest({ detail: "The form is invalid", issues }))

const readTransfer = (form: Form) => {
  const parts = new Parts(form)
  const to = parts.text("destination")
  const expected = to === undefined ? undefined : pathFault(to)
  if (expected !== undefined) parts.issues.push({ part: "destination", detail: `Expected ${expected}` })
  const version = parts.integer("version", 1, Number.MAX_SAFE_INTEGER)
  const embedded = parts.text("embedded")?.trim() || "false"
  if (embedded !== "true" && embedded !== "false") {
    parts.issues.push({ part: "embedded", detail: "Expected true or false" })
  }
  return parts.read({ to: to!, embedded: embedded === "true", ...(version === undefined ? {} : { version }) })
}

/** The parts of a copy's or a move's form. */
export const transferRules = rules(readTransfer, "destination", "version", "embedded")

/** Decodes the form of a copy or a move. */
export const transferOf = (form: Form) => accepted(readTransfer(form))

const readRegistration = (form: Form) => {
  const parts = new Parts(form)
  const url = parts.text("url")
  const version = parts.integer("version", 1, maxChosen)
  const size = parts.integer("size", 0, Number.MAX_SAFE_INTEGER)
  const text = (part: string) => {
    const value = parts.text(part)?.trim()
    if (value === undefined || value === "") return {}
    if (value.length > 255 || /[\u0000-\u001f\u007f]/.test(value)) {
      parts.issues.push({ part, detail: "Expected at most 255 characters, none of them a control character" })
    }
    return { [part]: value }
  }
  const words = { ...text("compression"), ...text("encoding") }
  const properties = propertiesOf(parts)
  const registration: NewRegistration = {
    url: url!,
    ...(version === undefined ? {} : { version }),
    ...(size === undefined ? {} : { size }),
    ...(properties === undefined ? {} : { properties }),
    ...words
  }
  return parts.read(registration)
}

/** The parts of a registration's form. */
export const registrationRules = rules(
  readRegistration,
  "url",
  "version",
  "size",
  "properties",
  "compression",
  "encoding"
)

/** Decodes the form of a registration. */
export const registrationOf = (form: Form) => accepted(readRegistration(form))

const propertiesOf = (parts: Parts): Record<string, unknown> | undefined => {
  const text = parts.text("properties")
  if (text === undefined || text.trim() === "") return undefined
  const value = readJsonText(text, JSON.parse)
  if (Result.isFailure(value)) parts.issues.push({ part: "properties", ...value.failure })
  // PostgreSQL stores the value as text, so it is returned exactly as it was sent.
  else if (Predicate.isObject(value.success)) return value.success
  else parts.issues.push({ part: "properties", detail: "Expected a JSON object" })
  return undefined
}

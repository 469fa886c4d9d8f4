import { Schema } from "effect"
import { fieldPath, refusedSegment } from "../../languages/FieldPath.ts"
import { hasSecret } from "../../protocol/Secrets.ts"

// Kinds of texts that settings hold. The patterns are for whoever checks settings by their JSON Schema: each accepts all
// that the check accepts, and refuses what a pattern can tell. They are in the syntax of ECMAScript with the flag `u`,
// and none takes more than linear time.

/** A text with a check that says why a text is refused, and the pattern that it has in JSON Schema. */
export const textOf = (fault: (text: string) => string | undefined, pattern: RegExp) =>
  Schema.String.check(Schema.makeFilter(fault, { toJsonSchema: () => [{ pattern: pattern.source }, true] }))

/** A text that is checked, and described by its pattern, only where it does not refer to a secret. */
export const secretOr = (isRight: (text: string) => boolean, pattern: RegExp, expected: string) =>
  Schema.String.check(
    Schema.makeFilter((text: string) => hasSecret(text) || isRight(text), {
      expected,
      toJsonSchema: () => [{ pattern: `${pattern.source}|\\$\\{secret:` }, true]
    })
  )

const name = "(?:__proto__|constructor|prototype)"
/** Names of fields without a segment that accesses a prototype: dotted, in brackets, or one plain name. */
const fieldPattern = new RegExp(
  `^(?!(?:[^.[\\]]+\\.)*${name}(?:\\.[^.[\\]]+)*$)(?!(?:\\[[^[\\]]+\\])*\\[${name}\\](?:\\[[^[\\]]+\\])*$)`,
  "u"
)

/** Why a field of this name cannot be written or removed. */
const fieldFault = (field: string): string | undefined => {
  const refused = refusedSegment(fieldPath(field))
  return refused === undefined ? undefined : `${refused} cannot be a field`
}

/** The name of a field that is written or removed. */
export const FieldName = textOf(fieldFault, fieldPattern)

/** An object with any members of which `fault` says nothing; `keywords` are what JSON Schema can tell of that. */
export const membersOf = <S extends Schema.Constraint>(
  values: S,
  fault: (name: string, value: unknown) => string | undefined,
  keywords: { readonly [keyword: string]: unknown }
) =>
  Schema.Record(Schema.String, values).check(
    Schema.makeFilter(
      (members: object) =>
        Object.entries(members).flatMap(([member, value]) => {
          const issue = fault(member, value)
          return issue === undefined ? [] : [{ path: [member], issue }]
        }),
      { toJsonSchema: () => [keywords, true] }
    )
  )

/** An object whose members are fields that are written. */
export const fieldsOf = <S extends Schema.Constraint>(values: S) =>
  membersOf(values, fieldFault, { propertyNames: { type: "string", pattern: fieldPattern.source } })

const offset = "[+-](?:0\\d|1[0-7])(?::?[0-5]\\d)?|[+-]18(?::?00)?"
const zone = `[A-Za-z][A-Za-z0-9_+/-]*`

/** An offset or what looks like the name of a zone. */
export const zonePattern = new RegExp(`^(?:${offset}|${zone})$`, "u")
/** {@link zonePattern}, or a text with a `%{field}` that has the zone. */
export const dynamicZonePattern = new RegExp(`^(?:${offset}|${zone}|[^]*%\\{[^]*)$`, "u")

const letters = "[yuMLdDweEHkhKmsSaXxzVYZ]"
/** A name of a format; or letters of fields, other characters, and texts in quotes, with one field at least. */
export const dateFormatPattern = new RegExp(
  `^(?:ISO8601|UNIX|UNIX_MS|TAI64N|(?=(?:'[^']*'|[^A-Za-z'])*${letters})(?:'[^']*'|${letters}|[^A-Za-z'])+)$`,
  "u"
)

/** The tag of a language in one of its writings, such as `fr`, `de_AT.UTF-8` or `pt-BR`. */
export const localePattern = /^[A-Za-z]{2,8}(?:[_-][A-Za-z0-9]{1,8})*(?:[.@].*)?$/u

/** The build of an artifact. */
export const ResourceName = Schema.String.check(
  Schema.isPattern(/^[^:]+:[^:]+:[^:]+:[^:]+$/u, { expected: "type:group:artifact:version" })
)

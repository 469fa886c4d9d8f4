/** The expected fields of a sample, `name=text` or `name#number`, separated by ` \| `; `""` for none. */
type Expected = string

/**
 * A text for a pattern, and the expected result in the legacy and in the ECS set. `false`: it must not match. `null`:
 * no expectation, mostly because the set lacks the pattern.
 */
export type Sample = readonly [
  name: string,
  text: string,
  legacy: Expected | false | null,
  ecs: Expected | false | null
]

/** A text that a pattern refuses in every set that has it. */
export const refused = (name: string, text: string): Sample => [name, text, false, false]

/** Names that hold no field, each with a text that it takes and one that it refuses. */
export const plain = (name: string, taken: string, not: string): ReadonlyArray<Sample> => [
  [name, taken, "", ""],
  refused(name, not)
]

const pairPattern = /^([^=#]+)([=#])(.*)$/s

/** Nested names are dotted. A value in double quotes is a JSON string; a repeated name holds a list. */
export const fieldsOf = (expected: Expected): Readonly<Record<string, unknown>> => {
  const fields: Record<string, unknown> = {}
  for (const pair of expected.split(/\s*\|\s*/).filter((text) => text !== "")) {
    const [, name, kind, text] = pairPattern.exec(pair.trim())!
    const value = kind === "#" ? Number(text) : text!.startsWith('"') ? (JSON.parse(text!) as string) : text
    fields[name!] = Object.hasOwn(fields, name!) ? [fields[name!], value] : value
  }
  return fields
}

/** Nested fields as one record of dotted names. */
export const dotted = (fields: object, prefix = ""): Readonly<Record<string, unknown>> =>
  Object.assign(
    {},
    ...Object.entries(fields).map(([key, value]) =>
      typeof value === "object" && value !== null && !Array.isArray(value)
        ? dotted(value, `${prefix}${key}.`)
        : { [prefix + key]: value }
    )
  )

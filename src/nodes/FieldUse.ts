import { list } from "../languages/Decorations.ts"
import { faultOf } from "../languages/expression/Compile.ts"
import { fieldReferences } from "../languages/expression/References.ts"
import { fieldPath } from "../languages/FieldPath.ts"

/**
 * The names of all fields that records can have, with dots between the levels; undefined when they can have any. A name
 * stands for everything inside of its field, too.
 */
export type Known = ReadonlySet<string> | undefined

/** A field that a setting names. */
export interface NamedField {
  readonly name: string
  /** Path of the setting inside `settings`. */
  readonly path: ReadonlyArray<string | number>
  /** Where the name is in the text of the setting, in UTF-16 units from 0. */
  readonly offset?: number
}

/** What a node does with fields, as far as its settings tell. */
export interface FieldUse {
  /** Fields that the records which it receives should have. */
  readonly reads: ReadonlyArray<NamedField>
  /** Whether it uses records as a whole, so that no field is without use. */
  readonly isWhole?: boolean
  /** The fields of the records that it publishes, by those of the ones that it receives. Absent: any. */
  readonly gives?: (known: ReadonlySet<string>) => Known
}

/** A field's name with dots between the levels, however it is written. */
export const dotted = (name: string): string => fieldPath(name).join(".")

/** A node that uses whole records and publishes any fields. */
export const anyFields: FieldUse = { reads: [], isWhole: true }

/** A node that passes records on as they are. */
export const sameFields = (reads: ReadonlyArray<NamedField> = []): FieldUse => ({ reads, gives: (known) => known })

/** The fields of one setting or of a list. */
export const named = (
  names: string | ReadonlyArray<string> | undefined,
  path: ReadonlyArray<string | number>
): ReadonlyArray<NamedField> =>
  typeof names === "string"
    ? [{ name: dotted(names), path }]
    : list(names).map((name, at) => ({ name: dotted(name), path: [...path, at] }))

/** The fields of an expression, which may be faulty. */
export const namedIn = (where: string | undefined, path: ReadonlyArray<string | number>): ReadonlyArray<NamedField> => {
  if (where === undefined) return []
  try {
    return fieldReferences(where).map(({ path: keys, offset }) => ({ name: keys.join("."), path, offset }))
  } catch {
    return []
  }
}

/** The fault of an expression in the setting at this path. */
export const whereFaults = (where: string | undefined, path: ReadonlyArray<string | number>) => {
  const fault = where === undefined ? undefined : faultOf(where)
  return fault === undefined ? [] : [{ path, ...fault }]
}

export const withFields = (known: ReadonlySet<string>, names: Iterable<string>): ReadonlySet<string> =>
  new Set([...known, ...names])

/** The field whose element the name may be, or else the name: places in a list do not say which elements are there. */
export const listOf = (name: string): string => name.replace(/\.-?\d{1,9}(?:\..*)?$/s, "")

/** Without a field and what is in it. */
export const withoutField = (known: ReadonlySet<string>, name: string): ReadonlySet<string> =>
  // The next element takes the place of a removed one.
  listOf(name) === name ? new Set([...known].filter((one) => one !== name && !one.startsWith(`${name}.`))) : known

/** Whether a record can have the field: it is known, lies in a known one, or has a known one inside. */
export const canHave = (known: ReadonlySet<string>, field: string): boolean => {
  const name = listOf(field)
  if (known.has(name)) return true
  for (const one of known) if (one.startsWith(`${name}.`) || name.startsWith(`${one}.`)) return true
  return false
}

/** Names may refer to records, which only a run knows. */
const isDynamic = (name: string): boolean => name.includes("%{")

interface Decorations {
  readonly add_field?: Readonly<Record<string, unknown>>
  readonly remove_field?: string | ReadonlyArray<string>
}

/** What parsing nodes do with a record that they have parsed. */
export const decorated = (known: ReadonlySet<string>, { add_field = {}, remove_field }: Decorations): Known => {
  const added = Object.keys(add_field)
  if (added.some(isDynamic)) return undefined
  let fields: ReadonlySet<string> = new Set([...known, ...added.map(dotted), "tags"])
  for (const name of list(remove_field)) if (!isDynamic(name)) fields = withoutField(fields, dotted(name))
  return fields
}

interface ParsedSettings extends Decorations {
  readonly field: string
  readonly target?: string
  readonly ignore_missing: boolean
}

/** The use of a node that parses a field: `found` are the names that it adds, undefined for any. */
export const parsedFields = (settings: ParsedSettings, found: Iterable<string> | undefined): FieldUse => {
  const { field, target, ignore_missing } = settings
  const below = target === undefined ? "" : `${dotted(target)}.`
  return {
    reads: ignore_missing ? [] : named(field, ["field"]),
    gives: (known) => {
      if (found === undefined && target === undefined) return undefined
      const names = found === undefined ? [dotted(target ?? "")] : [...found].map((name) => `${below}${name}`)
      return decorated(withFields(known, names), settings)
    }
  }
}

/** The names in a value, and in the objects inside of it. */
export const namesIn = (value: unknown, prefix = ""): ReadonlyArray<string> => {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return prefix === "" ? [] : [prefix]
  const names = Object.entries(value).flatMap(([name, inner]) =>
    namesIn(inner, prefix === "" ? name : `${prefix}.${name}`)
  )
  return names.length === 0 && prefix !== "" ? [prefix] : names
}

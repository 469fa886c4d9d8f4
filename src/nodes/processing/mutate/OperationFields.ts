import {
  canHave,
  dotted,
  type Known,
  listOf,
  type NamedField,
  namedIn,
  withFields,
  withoutField
} from "../../FieldUse.ts"
import { type Operation, operationNames } from "./Operations.ts"

const lastOf = (name: string): string => name.slice(name.lastIndexOf(".") + 1)

type Path = ReadonlyArray<string | number>

/** The fields of the object in the setting, by their names in it. */
const keysOf = (given: Readonly<Record<string, unknown>> | undefined, path: Path): ReadonlyArray<NamedField> =>
  Object.keys(given ?? {}).map((name) => ({ name: dotted(name), path: [...path, name] }))

const itemsOf = (given: ReadonlyArray<string> | undefined, path: Path): ReadonlyArray<NamedField> =>
  (given ?? []).map((name, at) => ({ name: dotted(name), path: [...path, at] }))

/**
 * The fields that an operation looks for. Not those that it makes, and not those that it removes: a list of fields to
 * remove often names more than there are.
 */
const readsOfOne = (operation: Operation, path: Path): ReadonlyArray<NamedField> => {
  const at = (name: string) => [...path, name]
  const { move, replace, merge } = operation
  return [
    ...namedIn(operation.where, at("where")),
    ...keysOf(operation.rename, at("rename")),
    ...keysOf(operation.copy, at("copy")),
    ...itemsOf(move?.fields, [...at("move"), "fields"]),
    ...keysOf(operation.convert, at("convert")),
    ...keysOf(operation.split, at("split")),
    ...keysOf(operation.join, at("join")),
    ...(["lowercase", "uppercase", "capitalize", "trim"] as const).flatMap((name) =>
      itemsOf(operation[name], at(name))
    ),
    ...itemsOf(replace?.fields, [...at("replace"), "fields"]),
    ...(merge?.from ?? []).map((name) => ({ name: dotted(name), path: at("merge") }))
  ]
}

/** The fields after an operation. One with a condition may be left out. */
export const fieldsAfter = (known: ReadonlySet<string>, operation: Operation): Known => {
  const { rename, copy, move, remove, keep, set, default: defaults, merge, flatten, expand, where } = operation
  if (flatten !== undefined || expand !== undefined) return undefined
  const without = (fields: ReadonlySet<string>, names: ReadonlyArray<string>) =>
    where === undefined ? names.reduce(withoutField, fields) : fields
  if (rename !== undefined) {
    const gone = without(known, Object.keys(rename).map(dotted))
    return withFields(gone, Object.values(rename).map(dotted))
  }
  if (copy !== undefined) return withFields(known, Object.values(copy).map(dotted))
  if (move !== undefined) {
    const names = move.fields.map(dotted)
    return withFields(
      without(known, names),
      names.map((name) => `${dotted(move.to)}.${lastOf(name)}`)
    )
  }
  if (remove !== undefined) return without(known, remove.map(dotted))
  if (keep !== undefined) {
    if (where !== undefined) return known
    const names = new Set(keep.map((name) => listOf(dotted(name))))
    return new Set([...known].filter((one) => canHave(names, one)))
  }
  if (set !== undefined) return withFields(known, Object.keys(set).map(dotted))
  if (defaults !== undefined) return withFields(known, Object.keys(defaults).map(dotted))
  if (merge !== undefined) return withFields(known, [dotted(merge.into)])
  return known
}

/** The fields that the operations look for and that no earlier one of them has made. */
export const readsOf = (operations: ReadonlyArray<Operation>): ReadonlyArray<NamedField> => {
  const reads: Array<NamedField> = []
  let made: Known = new Set()
  for (const [at, operation] of operations.entries()) {
    const before: ReadonlySet<string> = made
    reads.push(...readsOfOne(operation, ["operations", at]).filter(({ name }) => !canHave(before, name)))
    made = fieldsAfter(made, operation)
    // From here on, there may be any field.
    if (made === undefined) break
  }
  return reads
}

/** Whether the operation uses records as a whole. */
export const isWhole = (operation: Operation): boolean =>
  operationNames.some((name) => (name === "flatten" || name === "expand") && operation[name] !== undefined)

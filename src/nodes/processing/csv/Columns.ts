import { fieldPath, refusedSegment } from "../../../languages/FieldPath.ts"
import { namesOf } from "../../formats/CsvReader.ts"
import type { Type } from "./Values.ts"

export interface Column {
  readonly name: string
  /** Where its value goes in the record. */
  readonly path: ReadonlyArray<string>
  readonly type: Type
}

const startsWith = (path: ReadonlyArray<string>, start: ReadonlyArray<string>): boolean =>
  start.length <= path.length && start.every((segment, at) => path[at] === segment)

/** The earlier column whose field is the same as, inside, or around the field of the column at an index. */
export const rivalOf = (names: ReadonlyArray<string>, at: number): string | undefined => {
  const path = fieldPath(names[at]!)
  return names.slice(0, at).find((name) => {
    const other = fieldPath(name)
    return startsWith(path, other) || startsWith(other, path)
  })
}

const typeIn = (types: Readonly<Record<string, Type>>, name: string): Type =>
  (Object.hasOwn(types, name) ? types[name] : undefined) ?? "string"

/** Columns with the names that the settings give. */
export const columnsOf = (names: ReadonlyArray<string>, types: Readonly<Record<string, Type>>): Array<Column> =>
  names.map((name) => ({ name, path: fieldPath(name), type: typeIn(types, name) }))

/** Tells which fields are the same as, inside, or around that of another column. */
const crowded = (columns: ReadonlyArray<Column>): ((path: ReadonlyArray<string>) => boolean) => {
  const key = (path: ReadonlyArray<string>) => path.join("\0")
  const above = (path: ReadonlyArray<string>) => path.slice(1).map((_, at) => key(path.slice(0, at + 1)))
  const whole = new Map<string, number>()
  for (const { path } of columns) whole.set(key(path), (whole.get(key(path)) ?? 0) + 1)
  const around = new Set(columns.flatMap(({ path }) => above(path)))
  return (path) => whole.get(key(path)) !== 1 || around.has(key(path)) || above(path).some((outer) => whole.has(outer))
}

/**
 * Columns with the names of a header: an empty one, and one that no field may have, becomes `column<n>`, a repeated one
 * gets its number. Fields that would be inside each other are plain keys.
 */
export const headerColumns = (cells: ReadonlyArray<string>, types: Readonly<Record<string, Type>>): Array<Column> => {
  const given = cells.map((cell) => (refusedSegment(fieldPath(cell.trim())) === undefined ? cell.trim() : ""))
  const columns = columnsOf(namesOf(given), types)
  const isCrowded = crowded(columns)
  return columns.map((column) => (isCrowded(column.path) ? { ...column, path: [column.name] } : column))
}

/** The column after the last one that has a name. */
export const extraColumn = (at: number, types: Readonly<Record<string, Type>>): Column => {
  const name = `column${at + 1}`
  return { name, path: [name], type: typeIn(types, name) }
}

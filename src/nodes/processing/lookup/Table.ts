import type { Fields } from "../../../languages/FieldPath.ts"
import { unknownName } from "../../../languages/Suggest.ts"
import { fileInput } from "../../inputs/FileInput.ts"
import { type Format, formatOf } from "../../inputs/files/Format.ts"
import { chosen, type Event, type NodeContext } from "../../Node.ts"
import type { Storage } from "../../ports/NodeFiles.ts"
import { filesOf, referenceOf } from "../../settings/StorageSettings.ts"
import { Networks } from "../addresses/Networks.ts"
import type { Loaded } from "./ReloadedFiles.ts"

/** Maximum number of rows of a table, which is held in memory. */
const maxRows = 1_000_000
/** Maximum number of columns that are remembered for a message about one that there is not. */
const maxColumns = 1000

interface TableSettings extends Storage {
  readonly path?: string
  readonly registry?: string
  readonly resource?: string
  readonly format?: Format
  readonly key: string
  readonly columns?: ReadonlyArray<string>
  readonly match: "equal" | "network"
}

/** The settings of the table in the form of `file_input`. */
export const sourceOf = ({
  path,
  root,
  s3,
  registry,
  resource,
  format
}: Pick<TableSettings, "path" | "root" | "s3" | "registry" | "resource" | "format">) => ({
  ...(path === undefined ? {} : { path }),
  ...(root === undefined ? {} : { root }),
  ...(s3 === undefined ? {} : { s3 }),
  ...(registry === undefined ? {} : { registry }),
  ...(resource === undefined ? {} : { resource }),
  ...(format === undefined ? {} : { format }),
  follow: false,
  encoding: "utf-8" as const,
  source: false
})

/** Rows by their keys. */
interface Table {
  /** Adds a row unless its key has one. False when the text cannot be a key. */
  readonly add: (key: string, row: Fields) => boolean
  readonly find: (value: string) => Fields | undefined
}

const equalKeys = (): Table => {
  const rows = new Map<string, Fields>()
  return { add: (key, row) => rows.has(key) || rows.set(key, row).size > 0, find: (value) => rows.get(value) }
}

const networks = (): Table => {
  const rows = new Networks<Fields>()
  return { add: (key, row) => rows.add(key.trim(), row), find: (value) => rows.find(value.trim()) }
}

/** Columns that no row has are a mistake in the settings. */
class Columns {
  readonly #known = new Set<string>()
  readonly #missing: Set<string>

  constructor(needed: ReadonlyArray<string>) {
    this.#missing = new Set(needed)
  }

  see(row: Event): void {
    for (const name of this.#missing) if (Object.hasOwn(row, name)) this.#missing.delete(name)
    if (this.#missing.size === 0) return
    for (const name of Object.keys(row)) if (this.#known.size < maxColumns) this.#known.add(name)
  }

  check(): void {
    for (const name of this.#missing) throw new Error(`${unknownName(name, this.#known, "among the table's columns")}`)
  }
}

/**
 * Whether a csv table without rows lacks even a header. It then has no key, and more likely could not be written, for
 * example because the disk was full, than it has no rows.
 */
const lacksHeader = async (given: TableSettings, context: NodeContext): Promise<boolean> => {
  const reference = referenceOf(given)
  const files = filesOf(given, context)
  const found =
    reference === undefined
      ? (await files.glob(given.path ?? "")).map((name) => ({ name, read: () => files.read(name) }))
      : [await context.open(reference)]
  for (const { name, read } of found) {
    if ((given.format ?? formatOf(name)) !== "csv") return false
    for await (const chunk of read()) if (chunk.length > 0) return false
  }
  return found.length > 0
}

/** Reads the table. Of several rows with the same key the first is used. */
export const loadTable = async (
  given: TableSettings,
  context: NodeContext,
  keyOf: (value: unknown) => string | undefined
): Promise<Loaded<Table>> => {
  const table = given.match === "network" ? networks() : equalKeys()
  const { columns, key } = given
  const seen = new Columns([key, ...(columns ?? [])])
  let rows = 0
  const take = async (stream: string, batch: ReadonlyArray<Event>) => {
    if (stream !== chosen) throw new Error(`the table cannot be read: ${JSON.stringify(batch[0]?.["error"] ?? "")}`)
    for (const row of batch) {
      rows++
      if (rows > maxRows) throw new Error(`the table has more than ${maxRows} rows`)
      seen.see(row)
      const name = keyOf(Object.hasOwn(row, key) ? row[key] : undefined)
      if (name === undefined) continue
      const kept = Object.entries(row).filter(([column]) => columns?.includes(column) ?? column !== key)
      if (table.add(name, Object.fromEntries(kept))) continue
      throw new Error(
        `row ${rows} of the table has no network in ${key}: ${name.slice(0, 60)}; write 10.0.0.0/8 or 2001:db8::/32`
      )
    }
  }
  // The table's file is none that the node reads as its input.
  const { counted: _, ...reading } = context
  const reader = await fileInput.start(sourceOf(given), reading)
  await reader.run?.(take)
  if (rows > 0) seen.check()
  else if (await lacksHeader(given, context)) throw new Error("the table is empty: it has not even a header")
  return { value: table, entries: rows }
}

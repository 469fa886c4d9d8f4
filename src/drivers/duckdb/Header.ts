import { parse } from "csv-parse/sync"
import { isObject } from "../../languages/json/JsonValue.ts"
import { type Format, formatOf, formats } from "../../nodes/inputs/files/Format.ts"
import { TenantFiles } from "../files/TenantFiles.ts"
import type { Binder } from "./Binder.ts"

/** Limits for looking ahead: the number of files of a pattern, and the bytes of each. */
const maxFiles = 20
const headBytes = 64 * 1024

type Names = ReadonlyArray<string>

/** The names, if they are kept on reading; undefined otherwise. DuckDB renames duplicate and empty names. */
const plain = (names: Names): Names | undefined => {
  const folded = new Set(names.map((name) => name.toLowerCase()))
  const isOdd = (name: string) => name === "" || name.trim() !== name || name.includes("\ufffd")
  return names.length === 0 || folded.size < names.length || names.some(isOdd) ? undefined : names
}

/** The columns of rows that are written in a node's settings; undefined if they are not certain. */
export const rowColumns = (rows: unknown): Names | undefined => {
  if (!Array.isArray(rows) || !rows.every(isObject)) return undefined
  return plain([...new Set(rows.flatMap((row) => Object.keys(row)))])
}

/** The first bytes of a file. */
const headOf = async (path: string, files: TenantFiles): Promise<Uint8Array> => {
  const pieces: Array<Uint8Array> = []
  let bytes = 0
  for await (const piece of files.read(path)) {
    pieces.push(piece)
    bytes += piece.length
    if (bytes >= headBytes) break
  }
  return Buffer.concat(pieces).subarray(0, headBytes)
}

/** The names in the first row of a csv text. */
const csvHeader = (head: Uint8Array): Names | undefined => {
  const text = new TextDecoder().decode(head)
  const line = text.split("\n", 1)[0]!.replace(/\r$/, "")
  if (line.length === text.length && head.length >= headBytes) return undefined
  if (line === "" || line.includes("\r")) return undefined
  try {
    const rows: ReadonlyArray<Names> = parse(line, { relax_column_count: true })
    return rows.length === 1 ? plain(rows[0]!) : undefined
  } catch {
    return undefined
  }
}

/** The existing files of a `file_input`, with their formats. */
const filesOf = async (settings: Record<string, unknown>, files: TenantFiles) => {
  const { path, format } = settings
  if (typeof path !== "string" || settings["registry"] !== undefined || settings["resource"] !== undefined) return []
  const given = formats.find((known) => known === format)
  const found = await files.glob(path).catch(() => [])
  return found.length > maxFiles ? [] : found.map((path) => ({ path, format: given ?? formatOf(path) }))
}

/** The paths on this machine of the Parquet files that an input reads. */
export const parquetPaths = async (settings: Record<string, unknown>, conf: string): Promise<ReadonlyArray<string>> => {
  const files = new TenantFiles(conf)
  const found = (await filesOf(settings, files)).filter(({ path, format }) => isParquet(path, format))
  const real = await Promise.all(found.map(({ path }) => files.real(path)))
  return real.filter((path) => path !== undefined)
}

const isParquet = (path: string, format: Format) => format === "parquet" && !path.endsWith(".gz")

/** The columns of a `file_input` according to the start of its files; undefined if they are not certain. */
export const fileColumns = async (
  settings: Record<string, unknown>,
  conf: string,
  binder: Binder
): Promise<Names | undefined> => {
  const files = new TenantFiles(conf)
  const columns = new Set<string>()
  const found = await filesOf(settings, files)
  for (const { path, format } of found) {
    const names =
      format === "lines"
        ? ["message"]
        : format === "csv"
          ? csvHeader(await headOf(path, files).catch(() => new Uint8Array()))
          : isParquet(path, format)
            ? await binder.parquet((await files.real(path)) ?? "")
            : undefined
    if (names === undefined) return undefined
    for (const name of names) columns.add(name)
  }
  return plain([...columns])
}

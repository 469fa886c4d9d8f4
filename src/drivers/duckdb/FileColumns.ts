import { parse } from "csv-parse/sync"
import { type Format, formatOf, formats } from "../../nodes/inputs/files/Format.ts"
import { compressionOf } from "../../nodes/settings/Paths.ts"
import { TenantFiles } from "../files/TenantFiles.ts"
import type { Binder } from "./Binder.ts"

/** Limits for reading headers: the number of files of a pattern, and the bytes of each. */
const maxFiles = 20
const headBytes = 64 * 1024

type Names = ReadonlyArray<string>

/** The names if DuckDB keeps them, else undefined: it renames repeated and empty ones. */
export const plain = (names: Names): Names | undefined => {
  const folded = new Set(names.map((name) => name.toLowerCase()))
  const isOdd = (name: string) => name === "" || name.trim() !== name || name.includes("\ufffd")
  return names.length === 0 || folded.size < names.length || names.some(isOdd) ? undefined : names
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

/** The column names in the first row of a csv text. */
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

/** The files of the tenant's configuration that a node reads, as a glob. */
interface Source {
  readonly path: string
  readonly format?: string
}

/** The existing files with their formats; none if there are too many. */
const filesOf = async ({ path, format }: Source, files: TenantFiles) => {
  const given = formats.find((known) => known === format)
  const found = await files.glob(path).catch(() => [])
  return found.length > maxFiles ? [] : found.map((path) => ({ path, format: given ?? formatOf(path) }))
}

/** The paths on this machine of the Parquet files that the node reads. */
export const parquetPaths = async (source: Source, conf: string): Promise<ReadonlyArray<string>> => {
  const files = new TenantFiles(conf)
  const found = (await filesOf(source, files)).filter(({ path, format }) => isParquet(path, format))
  const real = await Promise.all(found.map(({ path }) => files.real(path)))
  return real.filter((path) => path !== undefined)
}

const isParquet = (path: string, format: Format) => format === "parquet" && compressionOf(path) === undefined

/** The columns according to the beginning of each file; undefined if they cannot be determined. */
export const fileColumns = async (source: Source, conf: string, binder: Binder): Promise<Names | undefined> => {
  const files = new TenantFiles(conf)
  const columns = new Set<string>()
  const found = await filesOf(source, files)
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

import { type FileMetaData, parquetMetadataAsync, parquetReadObjects } from "hyparquet"
import type { Source } from "../../app/source.ts"
import { flattened } from "../values.ts"
import type { Row, Rows } from "./rows.ts"
import { unzstd } from "./Zstd.ts"

/** The supported codecs. The failure names others. */
const readable = new Set(["UNCOMPRESSED", "SNAPPY", "ZSTD"])

/** The codec of a Parquet file is not supported. */
export class UnreadableCodec extends Error {
  readonly codec: string

  constructor(codec: string) {
    super(codec)
    this.codec = codec
  }
}

const codecsOf = ({ row_groups }: FileMetaData): ReadonlySet<string> =>
  new Set(row_groups.flatMap(({ columns }) => columns.map(({ meta_data }) => meta_data?.codec ?? "UNCOMPRESSED")))

const plain = (value: unknown): unknown => {
  if (typeof value === "bigint") return value.toString()
  if (value instanceof Date) return value.toISOString()
  if (value instanceof Uint8Array) return `${value.length} bytes`
  if (Array.isArray(value)) return value.map(plain)
  if (typeof value === "object" && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, plain(one)]))
  }
  return value
}

/** The rows of a Parquet file. Its footer locates the columns of the next rows, and only these are read. */
export const parquetRows = async (source: Source): Promise<Rows> => {
  const file = {
    byteLength: source.size,
    slice: async (from: number, to = source.size) => {
      const begin = from < 0 ? source.size + from : from
      return (await source.read(begin, to - begin)).buffer
    }
  }
  const metadata = await parquetMetadataAsync(file)
  const unreadable = [...codecsOf(metadata)].find((codec) => !readable.has(codec))
  if (unreadable !== undefined) throw new UnreadableCodec(unreadable)
  const total = Number(metadata.num_rows)
  let at = 0
  const next = async (count: number): Promise<ReadonlyArray<Row>> => {
    const begin = at
    at = Math.min(total, at + count)
    if (begin >= at) return []
    const rows = await parquetReadObjects({
      file,
      metadata,
      rowStart: begin,
      rowEnd: at,
      compressors: { ZSTD: (bytes, size) => unzstd(bytes, size) }
    })
    return rows.map((row, index) => ({ number: begin + index + 1, cells: new Map(flattened(plain(row))) }))
  }
  return { next, isEnd: () => at >= total, close: () => {}, total }
}

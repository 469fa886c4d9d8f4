import { useCallback, useEffect, useRef, useState } from "react"
import { answering, useReturn } from "../../app/gateway.ts"
import type { Source } from "../../app/source.ts"
import type { PreviewedFile } from "./file.ts"
import { kindOf } from "./kinds.ts"
import { type Row, type Rows, textRows } from "./rows.ts"

/** Rows that are read initially: their names become the columns. */
export const firstRows = 200
const nextRows = 1000
/** Maximum number of rows, and of their UTF-16 units, that the page keeps. */
export const mostRows = 100_000
const mostUnits = 64 * 1024 * 1024
/** Average UTF-16 units from which rows count as long. */
const longUnits = 32 * 1024

/** The whole file in memory, for sources that cannot read a part. */
const gathered = async ({ open, size }: PreviewedFile, signal: AbortSignal): Promise<Source> => {
  const bytes = new Uint8Array(size)
  let at = 0
  const reader = open(signal).getReader()
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    bytes.set(next.value.subarray(0, size - at), at)
    at += next.value.length
  }
  return { size, read: async (from, length) => bytes.slice(from, from + length) }
}

const rowsOf = async (file: PreviewedFile, signal: AbortSignal): Promise<Rows> => {
  const { kind, isGzip } = kindOf(file.name)
  if (kind !== "parquet") return textRows(file.open(signal), kind, isGzip)
  const { parquetRows } = await import("./ParquetRows.ts")
  return parquetRows(file.source ?? (await gathered(file, signal)))
}

interface Loaded {
  readonly rows: ReadonlyArray<Row>
  /** The column names that the file declares. */
  readonly columns: ReadonlyArray<string>
  /** Whether all rows are loaded. */
  readonly isEnd: boolean
  readonly total?: number | undefined
  /** Whether the rows are so long that more are loaded only on request. */
  readonly isLong: boolean
  readonly error: unknown
}

const nothing: Loaded = { rows: [], columns: [], isEnd: false, isLong: false, error: undefined }

const unitsOf = ({ text = "" }: Row): number => text.length + 100

/** The rows of a file, as far as the reader has scrolled. After a failure, `again` reads it from the start. */
export const useRows = (file: PreviewedFile): Loaded & { readonly more: () => void; readonly again: () => void } => {
  const [loaded, setLoaded] = useState<Loaded>(nothing)
  const [round, setRound] = useState(0)
  const more = useRef(() => {})
  const { reopen } = file
  const again = useCallback(() => (reopen === undefined ? setRound((count) => count + 1) : reopen()), [reopen])

  // biome-ignore lint/correctness/useExhaustiveDependencies: another round reads the same file.
  useEffect(() => {
    const ending = new AbortController()
    const { signal } = ending
    let rows: Promise<Rows> | undefined
    let isBusy = false
    let isEnd = false
    let units = 0
    let read: ReadonlyArray<Row> = []
    more.current = () => {
      if (isBusy || isEnd || signal.aborted) return
      isBusy = true
      rows ??= rowsOf(file, signal)
      const asked = read.length === 0 ? firstRows : nextRows
      answering(async () => {
        const from = await rows!
        const found = await from.next(asked)
        return { found, columns: from.columns?.() ?? [], isAll: from.isEnd(), total: from.total }
      }).then(
        ({ found, columns, isAll, total }) => {
          isBusy = false
          if (signal.aborted) return
          read = [...read, ...found]
          units += found.reduce((sum, row) => sum + unitsOf(row), 0)
          isEnd = isAll || read.length >= mostRows || units >= mostUnits
          const isLong = units > read.length * longUnits
          setLoaded({ rows: read, columns, isEnd: isAll, total, isLong, error: undefined })
        },
        (error: unknown) => {
          isBusy = false
          isEnd = true
          if (!signal.aborted) setLoaded((before) => ({ ...before, error }))
        }
      )
    }
    more.current()
    return () => {
      ending.abort()
      rows?.then(
        (opened) => opened.close(),
        () => {}
      )
    }
  }, [file, round])

  useReturn(loaded.error, again)

  return { ...loaded, more: useCallback(() => more.current(), []), again }
}

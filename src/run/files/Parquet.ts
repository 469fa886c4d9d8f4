import { createWriteStream } from "node:fs"
import { mkdir, rm } from "node:fs/promises"
import { join } from "node:path"
import { pipeline } from "node:stream/promises"
import * as Predicate from "effect/Predicate"
import { jsonLine, literal } from "../../drivers/duckdb/Columns.ts"
import { Database, SqlFailure } from "../../drivers/duckdb/Database.ts"
import { Failure, writeFailure } from "../../drivers/Failure.ts"
import { parseJson } from "../../languages/json/JsonValue.ts"
import type { Batch } from "../../nodes/Node.ts"
import type { InputFiles, OpenFile } from "../../nodes/ports/NodeFiles.ts"
import { batchRecords } from "../../nodes/records/BatchSize.ts"
import { compressionOf } from "../../nodes/settings/Paths.ts"
import type { Reference } from "../../protocol/References.ts"
import type { StoredFiles } from "./StoredFiles.ts"

/** DuckDB's memory besides the run's heap, in MiB. It reads a few row groups at a time. */
const memoryMib = 160
const spillBytes = 1024 ** 3

/** What is needed of the storage of a Parquet file. */
type ReadFiles = Pick<InputFiles, "read" | "openFile">

let files = 0

/** Copies the bytes to a file that DuckDB can read. The limit keeps a small compressed file from filling the disk. */
const spool = async (scratch: string, bytes: AsyncIterable<Uint8Array>, name: string, limit: number) => {
  const path = join(scratch, `${++files}.parquet`)
  const within = async function* () {
    let left = limit
    for await (const chunk of bytes) {
      left -= chunk.length
      if (left < 0) throw new Failure(`The data of the file "${name}" exceeds the size limit of a run (${limit} bytes)`)
      yield chunk
    }
  }
  const close = () => rm(path, { force: true })
  try {
    await pipeline(within, createWriteStream(path, { mode: 0o600 }))
  } catch (error) {
    await close()
    throw writeFailure(error, "A temporary file of the run")
  }
  return { path, close }
}

/** Linux reopens a file by the path of its descriptor, so DuckDB reads the file that was checked. */
const direct = async (file: OpenFile) => ({ path: `/proc/self/fd/${file.id}`, close: file.close })

async function* records(path: string, scratch: string): AsyncGenerator<Batch> {
  const database = await Database.open({ memoryMib, threads: 1, spillBytes, scratch })
  try {
    await database.close([path], scratch)
    const from = `read_parquet(${literal(path)})`
    const columns = await database.columns(from)
    for await (const rows of database.texts(`SELECT ${jsonLine(columns)} FROM ${from}`)) {
      const events = rows.map(([line]) => parseJson(line ?? "{}")).filter(Predicate.isObject)
      for (let at = 0; at < events.length; at += batchRecords) yield events.slice(at, at + batchRecords)
    }
  } finally {
    database.dispose()
  }
}

/** The records of a Parquet file, each value as lossless JSON. */
export async function* parquet(
  source: string | Reference,
  from: {
    readonly files: ReadFiles
    readonly stored: StoredFiles
    readonly scratch: string
    readonly fileBytes: number
  }
): AsyncGenerator<Batch> {
  await mkdir(from.scratch, { recursive: true })
  const name = typeof source === "string" ? source : (await from.stored.open(source)).name
  const stored = typeof source === "string" ? undefined : await from.stored.open(source)
  const file =
    stored !== undefined
      ? await spool(from.scratch, stored.read(), name, from.fileBytes)
      : process.platform === "linux" && compressionOf(name) === undefined && from.files.openFile !== undefined
        ? await direct(await from.files.openFile(name))
        : await spool(from.scratch, from.files.read(name), name, from.fileBytes)
  try {
    yield* records(file.path, from.scratch)
  } catch (error) {
    if (!(error instanceof SqlFailure)) throw error
    if (error.kind === "Out of Memory") {
      throw new Failure(`The file "${name}" has row groups that need more than ${memoryMib} MiB`)
    }
    throw new Failure(`The file "${name}" is not a valid Parquet file`)
  } finally {
    await file.close()
  }
}

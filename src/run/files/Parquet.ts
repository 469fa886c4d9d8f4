import { createWriteStream } from "node:fs"
import { mkdir, rm } from "node:fs/promises"
import { join } from "node:path"
import { pipeline } from "node:stream/promises"
import * as Predicate from "effect/Predicate"
import { jsonLine, literal } from "../../drivers/duckdb/Columns.ts"
import { Database, SqlFailure } from "../../drivers/duckdb/Database.ts"
import { Failure } from "../../drivers/Failure.ts"
import type { TenantFiles } from "../../drivers/files/TenantFiles.ts"
import { parseJson } from "../../languages/json/JsonValue.ts"
import { batchRecords } from "../../nodes/Batch.ts"
import type { Batch } from "../../nodes/Node.ts"
import { isCompressed } from "../../nodes/Paths.ts"
import type { Reference } from "../../protocol/References.ts"
import type { StoredFiles } from "./StoredFiles.ts"

/** DuckDB's memory besides the run's heap, in MiB. It reads a few row groups at a time. */
const memoryMib = 160
const spillBytes = 1024 ** 3

let files = 0

/** Copies the bytes to a file that DuckDB can read. */
const spool = async (scratch: string, bytes: AsyncIterable<Uint8Array>) => {
  const path = join(scratch, `${++files}.parquet`)
  await pipeline(bytes, createWriteStream(path, { mode: 0o600 }))
  return { path, close: () => rm(path, { force: true }) }
}

/** Linux reopens a file by the path of its descriptor, so DuckDB reads the file that was checked. */
const direct = async (path: string, from: TenantFiles) => {
  const handle = await from.open(path)
  return { path: `/proc/self/fd/${handle.fd}`, close: () => handle.close() }
}

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
  from: { readonly files: TenantFiles; readonly stored: StoredFiles; readonly scratch: string }
): AsyncGenerator<Batch> {
  await mkdir(from.scratch, { recursive: true })
  const name = typeof source === "string" ? source : (await from.stored.open(source)).name
  const stored = typeof source === "string" ? undefined : await from.stored.open(source)
  const file =
    stored !== undefined
      ? await spool(from.scratch, stored.read())
      : process.platform === "linux" && !isCompressed(name)
        ? await direct(name, from.files)
        : await spool(from.scratch, from.files.read(name))
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

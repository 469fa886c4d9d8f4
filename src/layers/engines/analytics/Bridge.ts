import { reasonOf } from "../../../services/nodes/Failures.ts"
import { isObject, parseJson } from "../../../services/nodes/formats/Json.ts"
import { type Event, errors, type Instance } from "../../../services/nodes/Node.ts"
import { jsonLine } from "./Columns.ts"
import type { Database } from "./Database.ts"
import type { Grown, Scratch } from "./Scratch.ts"

const batchRecords = 1000

/** Records of an input that makes them itself, as files of JSON: those of the chosen streams, and the failed ones. */
export interface Collected {
  readonly records: Grown
  readonly failed: ReadonlyArray<Event>
  readonly rejected: number
  /** One reason of a failed record. */
  readonly reason: string
}

/** Most failed records that are kept; the others are counted. */
const maxFailed = 10_000

/** Runs an input node of the stream runtime to its end. */
export const collect = async (instance: Instance, scratch: Scratch, signal: AbortSignal): Promise<Collected> => {
  const failed: Array<Event> = []
  let rejected = 0
  let reason = ""
  const file = await scratch.open("ndjson")
  let records: Grown
  try {
    await instance.run?.(async (stream, batch) => {
      signal.throwIfAborted()
      if (stream === errors) {
        rejected += batch.length
        reason = reasonOf(batch[0])
        failed.push(...batch.slice(0, Math.max(0, maxFailed - failed.length)))
        return
      }
      await file.append(batch.map((event) => `${JSON.stringify(event)}\n`).join(""))
    })
  } finally {
    records = await file.close()
  }
  return { records, failed, rejected, reason }
}

/** Gives the relation's records to an output node of the stream runtime; gives their number. */
export const feed = async (instance: Instance, relation: string, database: Database, signal: AbortSignal) => {
  const columns = await database.columns(relation)
  const emit = () => {}
  let count = 0
  for await (const rows of database.texts(`SELECT ${jsonLine(columns)} FROM ${relation}`)) {
    signal.throwIfAborted()
    const events = rows.map(([line]) => parseJson(line ?? "{}")).filter(isObject)
    for (let at = 0; at < events.length; at += batchRecords) {
      await instance.process?.(events.slice(at, at + batchRecords), emit)
    }
    count += events.length
  }
  return count
}

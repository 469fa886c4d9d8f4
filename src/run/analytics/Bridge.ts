import * as Predicate from "effect/Predicate"
import { jsonLine } from "../../drivers/duckdb/Columns.ts"
import { parseJson } from "../../languages/json/JsonValue.ts"
import { type Batch, type Emit, type Event, errors, type Instance } from "../../nodes/Node.ts"
import { batchRecords } from "../../nodes/records/BatchSize.ts"
import { reasonOf } from "../../nodes/records/Failures.ts"
import type { Relation } from "./Plan.ts"
import type { Grown } from "./Scratch.ts"
import { source } from "./Sources.ts"
import type { Work } from "./Work.ts"

/** Maximum number of failed records that are kept; further ones are only counted. */
const maxFailed = 10_000

const none = "SELECT '' AS message, {'node': '', 'reason': ''} AS error WHERE false"

/** The failed records of a node: the first ones, their number, and one reason. */
export class FailedRecords {
  readonly events: Array<Event> = []
  count = 0
  reason = ""

  add(batch: Batch): void {
    this.count += batch.length
    this.reason = reasonOf(batch[0])
    for (const event of batch.slice(0, maxFailed - this.events.length)) this.events.push(event)
  }

  /** A table of the failed records, for nodes that subscribe to them. */
  async relation({ database, scratch }: Pick<Work, "database" | "scratch">): Promise<Relation> {
    const name = database.relation()
    if (this.events.length === 0) return { name, records: await database.run(`CREATE TABLE ${name} AS ${none}`) }
    const file = await scratch.open("ndjson")
    await file.append(this.events.map((event) => `${JSON.stringify(event)}\n`).join(""))
    const query = await source([{ ...(await file.close()), name: "errors", format: "ndjson" }], database)
    return { name, records: await database.run(`CREATE TABLE ${name} AS ${query}`) }
  }
}

/** Runs an input node of the stream runtime to its end, and returns its records as a JSON lines file. */
export const collect = async (instance: Instance, work: Work, failed: FailedRecords): Promise<Grown> => {
  const file = await work.scratch.open("ndjson")
  let records: Grown
  try {
    await instance.run?.(async (stream, batch) => {
      work.signal.throwIfAborted()
      if (stream === errors) failed.add(batch)
      else await file.append(batch.map((event) => `${JSON.stringify(event)}\n`).join(""))
    })
  } finally {
    records = await file.close()
  }
  return records
}

/**
 * Passes the relation's records to an output node of the stream runtime, then ends it. Returns the number of records.
 */
export const feed = async (
  instance: Instance,
  relation: string,
  work: Work,
  failed: FailedRecords
): Promise<number> => {
  const columns = await work.database.columns(relation)
  const emit: Emit = (stream, batch) => {
    if (stream === errors) failed.add(batch)
  }
  let count = 0
  for await (const rows of work.database.texts(`SELECT ${jsonLine(columns)} FROM ${relation}`)) {
    const events = rows.map(([line]) => parseJson(line ?? "{}")).filter(Predicate.isObject)
    for (let at = 0; at < events.length; at += batchRecords) {
      work.signal.throwIfAborted()
      await instance.process?.(events.slice(at, at + batchRecords), emit)
    }
    count += events.length
  }
  await instance.end?.(emit)
  return count
}

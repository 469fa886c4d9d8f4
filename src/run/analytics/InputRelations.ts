import { literal } from "../../drivers/duckdb/Columns.ts"
import { SqlFailure } from "../../drivers/duckdb/Database.ts"
import { identifier } from "../../drivers/sql/Identifier.ts"
import type { Encoding } from "../../languages/Encoding.ts"
import type { AnalyticsWork } from "../../nodes/Capabilities.ts"
import { type Format, formatOf } from "../../nodes/inputs/files/Format.ts"
import { errors } from "../../nodes/Node.ts"
import { type Sample, sampleOf } from "../../protocol/Trial.ts"
import { collect, FailedRecords } from "./Bridge.ts"
import type { OpenedFile } from "./Files.ts"
import type { PlannedNode, Relation } from "./Plan.ts"
import { isUnreadable, leavesOut, source } from "./Sources.ts"
import type { Work } from "./Work.ts"

/** An empty relation, for inputs whose columns are unknown. */
const nothing = 'SELECT CAST(NULL AS VARCHAR) AS "nothing" WHERE false'

/** The records of the query, with the columns that a node has in any case. */
const withColumns = (query: string | undefined, work: AnalyticsWork | undefined): string => {
  if (work?.kind !== "records") return query ?? nothing
  const columns = Object.entries(work.columns).map(([name, type]) => `CAST(NULL AS ${type}) AS ${identifier(name)}`)
  if (columns.length === 0) return query ?? nothing
  const none = `SELECT ${columns.join(", ")} WHERE false`
  return query === undefined ? none : `${none} UNION ALL BY NAME ${query}`
}

interface Prepared {
  readonly files: ReadonlyArray<OpenedFile>
  readonly failed: FailedRecords
}

/** Creates the relations of a run's inputs: files that DuckDB reads, and nodes that produce records themselves. */
export class Inputs {
  readonly #run: Work
  readonly #prepared = new Map<PlannedNode, Prepared>()

  constructor(run: Work) {
    this.#run = run
  }

  async prepare(planned: PlannedNode): Promise<void> {
    const failed = new FailedRecords()
    const { work } = planned
    const { watch } = this.#run
    const sample = watch && sampleOf(watch.trial, planned.component)
    const isGiven = watch !== undefined && (sample !== undefined || watch.trial.first === 0)
    const files = await (isGiven
      ? this.#given(planned, sample ?? { records: [] }, failed)
      : work?.kind === "read"
        ? this.#open(planned, work, failed)
        : this.#collect(planned, failed))
    if (work?.kind === "read" && !isGiven) planned.files = files.length
    planned.failed(failed)
    this.#prepared.set(planned, { files, failed })
  }

  /** The sample of a trial. */
  async #given(planned: PlannedNode, sample: Sample, failed: FailedRecords): Promise<ReadonlyArray<OpenedFile>> {
    const { component, context, work, replaced } = planned
    const reject = (message: string, reason: string) => failed.add([{ message, error: { node: component, reason } }])
    const give = (bytes: Uint8Array, format: Format, encoding: Encoding) =>
      this.#run.files.given(bytes, { component, context, format, encoding, reject, replaced })
    if ("records" in sample) {
      const lines = sample.records.map((record) => `${JSON.stringify(record)}\n`)
      return give(Buffer.from(lines.join("")), "ndjson", "utf-8")
    }
    const bytes = Buffer.from(sample.base64, "base64")
    const read = work?.kind === "records" ? planned.sample(bytes, sample.encoding, this.#run.signal) : undefined
    if (read !== undefined) {
      return [{ ...(await collect(read, this.#run, failed)), name: "the sample", format: "ndjson" }]
    }
    if (work?.kind !== "read") return give(bytes, "lines", "utf-8")
    const format = work.format ?? formatOf(typeof work.source === "string" ? work.source : "")
    return give(bytes, format === "parquet" ? "ndjson" : format, sample.encoding ?? work.encoding)
  }

  #open(
    planned: PlannedNode,
    { source, format, encoding, storage }: Extract<AnalyticsWork, { readonly kind: "read" }>,
    failed: FailedRecords
  ): Promise<ReadonlyArray<OpenedFile>> {
    const { component, context } = planned
    const reject = (message: string, reason: string) => failed.add([{ message, error: { node: component, reason } }])
    const { replaced } = planned
    const reading = { component, context: { ...context, signal: this.#run.signal }, format, encoding, reject, replaced }
    const { files } = this.#run
    return typeof source === "string" ? files.open(source, storage, reading) : files.fetch(source, reading)
  }

  async #collect(planned: PlannedNode, failed: FailedRecords): Promise<ReadonlyArray<OpenedFile>> {
    const instance = await planned.start(this.#run.signal)
    return [{ ...(await collect(instance, this.#run, failed)), name: planned.component, format: "ndjson" }]
  }

  /** Creates the relations of an input. */
  async publish(planned: PlannedNode): Promise<void> {
    const { files, failed } = this.#prepared.get(planned)!
    const streams = planned.node.publish.map(({ stream }) => stream)
    const chosen = streams.filter((stream) => stream !== errors)
    if (chosen.length > 0) {
      const relation = await this.#relation(planned, files)
      for (const stream of chosen) planned.relations.set(stream, relation)
    }
    if (streams.includes(errors)) planned.relations.set(errors, await failed.relation(this.#run))
  }

  /** The query that reads the files, and the files as it reads them. */
  async #source(files: ReadonlyArray<OpenedFile>) {
    const { database } = this.#run
    try {
      return { files, from: await source(files, database) }
    } catch (error) {
      if (!(error instanceof SqlFailure && isUnreadable(error.message))) throw error
      const even = await this.#run.files.even(files)
      if (even === undefined) throw error
      return { files: even, from: await source(even, database) }
    }
  }

  async #relation(planned: PlannedNode, opened: ReadonlyArray<OpenedFile>): Promise<Relation> {
    const { database } = this.#run
    const name = database.relation()
    const create = (kind: "TABLE" | "VIEW", query: string) => database.run(`CREATE ${kind} ${name} AS ${query}`)
    const { watch } = this.#run
    const { files, from } = await this.#source(opened)
    const whole = withColumns(from, planned.work)
    const isReal = watch !== undefined && sampleOf(watch.trial, planned.component) === undefined
    const query = isReal ? `SELECT * FROM (${whole}) LIMIT ${watch.trial.first}` : whole
    if (watch !== undefined) return { name, records: await create("TABLE", query) }
    const read = files.filter(({ bytes }) => bytes > 0)
    if (read.length > 0 && read.every(({ format }) => format === "parquet")) {
      await create("VIEW", query)
      const paths = read.map(({ path }) => literal(path)).join(", ")
      const records = await database.value(`SELECT sum(num_rows) FROM parquet_file_metadata([${paths}])`)
      return { name, records }
    }
    const only = planned.subscribers.length === 1 ? planned.subscribers[0] : undefined
    // A view suffices when one statement reads it. That statement counts the records of each group of files by its
    // first path.
    const isOne = new Set(read.map(({ format }) => format)).size === 1 && from !== undefined && !leavesOut(from)
    if (isOne && only !== undefined && only.work?.kind !== "print" && planned.work?.kind === "read") {
      await create("VIEW", query)
      return { name, records: 0, path: read[0]!.path }
    }
    return { name, records: await create("TABLE", query) }
  }
}

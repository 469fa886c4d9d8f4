import { identifier, literal } from "../../drivers/duckdb/Columns.ts"
import type { AnalyticsWork } from "../../nodes/Capabilities.ts"
import { errors } from "../../nodes/Node.ts"
import { collect, Failed } from "./Bridge.ts"
import type { Opened } from "./Files.ts"
import type { PlannedNode, Relation } from "./Plan.ts"
import { source } from "./Sources.ts"
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
  readonly files: ReadonlyArray<Opened>
  readonly failed: Failed
}

/** Creates the relations of a run's inputs: files that DuckDB reads, and nodes that produce records themselves. */
export class Inputs {
  readonly #run: Work
  readonly #prepared = new Map<PlannedNode, Prepared>()

  constructor(run: Work) {
    this.#run = run
  }

  async prepare(planned: PlannedNode): Promise<void> {
    const failed = new Failed()
    const { work } = planned
    const files = await (work?.kind === "read" ? this.#open(planned, work, failed) : this.#collect(planned, failed))
    planned.failed(failed)
    this.#prepared.set(planned, { files, failed })
  }

  #open(
    planned: PlannedNode,
    { source, format, encoding }: Extract<AnalyticsWork, { readonly kind: "read" }>,
    failed: Failed
  ): Promise<ReadonlyArray<Opened>> {
    const { component, context } = planned
    const reject = (message: string, reason: string) => failed.add([{ message, error: { node: component, reason } }])
    const { replaced } = planned
    const reading = { component, context: { ...context, signal: this.#run.signal }, format, encoding, reject, replaced }
    const { files } = this.#run
    return typeof source === "string" ? files.open(source, reading) : files.fetch(source, reading)
  }

  async #collect(planned: PlannedNode, failed: Failed): Promise<ReadonlyArray<Opened>> {
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

  async #relation(planned: PlannedNode, files: ReadonlyArray<Opened>): Promise<Relation> {
    const { database } = this.#run
    const name = database.relation()
    const create = (kind: "TABLE" | "VIEW", query: string) => database.run(`CREATE ${kind} ${name} AS ${query}`)
    const query = withColumns(await source(files, database), planned.work)
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
    const isOne = new Set(read.map(({ format }) => format)).size === 1
    if (isOne && only !== undefined && only.work?.kind !== "print" && planned.work?.kind === "read") {
      await create("VIEW", query)
      return { name, records: 0, path: read[0]!.path }
    }
    return { name, records: await create("TABLE", query) }
  }
}

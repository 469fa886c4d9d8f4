import { isNumeric, jsonLine, text } from "../../drivers/duckdb/Columns.ts"
import { identifier } from "../../drivers/sql/Identifier.ts"
import type { AnalyticsWork } from "../../nodes/Capabilities.ts"
import { table } from "../../nodes/formats/TextTable.ts"
import { errors } from "../../nodes/Node.ts"
import { FailedRecords, feed } from "./Bridge.ts"
import { deliver, writeFile } from "./Outputs.ts"
import type { PlannedNode, Relation } from "./Plan.ts"
import type { Work } from "./Work.ts"

const printedAtOnce = 1000

type Write = Extract<AnalyticsWork, { readonly kind: "write" }>
type Print = Extract<AnalyticsWork, { readonly kind: "print" }>

/** Runs the nodes at the end of a flowline. */
export class Receivers {
  readonly #run: Work
  /** Files to move to their places after every node has run. */
  readonly waiting: Array<readonly [planned: PlannedNode, move: () => Promise<void>]> = []

  constructor(run: Work) {
    this.#run = run
  }

  /** Whether the node reads its input completely and exactly once, and so can count its records. */
  counts({ type, work }: PlannedNode): boolean {
    return work?.kind !== "print" && type.kind === "output"
  }

  async run(planned: PlannedNode): Promise<void> {
    const input = await this.#input(planned.sources)
    const { type, work } = planned
    switch (work?.kind) {
      case "print":
        return this.#print(planned, input, work)
      case "write":
        return this.#write(planned, input, work)
      default:
        if (type.kind !== "output") throw new Error(`${type.type} does not run in analytics`)
        return this.#feed(planned, input)
    }
  }

  /** Combines all inputs into one relation; columns that an input lacks are NULL. */
  async #input(sources: ReadonlyArray<Relation>): Promise<Relation> {
    if (sources.length === 1) return sources[0]!
    const name = this.#run.database.relation()
    const union = sources.map((source) => `FROM ${source.name}`).join(" UNION ALL BY NAME ")
    await this.#run.database.run(`CREATE VIEW ${name} AS ${union}`)
    return { name, records: 0 }
  }

  async #write(planned: PlannedNode, input: Relation, { target, format, columns }: Write): Promise<void> {
    const { database, scratch } = this.#run
    const { place, name, storage } = target
    const what = place === "archive" ? "The archive" : `The file "${name}"`
    const open = () =>
      place === "archive" ? planned.context.archiveEntry(name) : planned.context.file(name, false, storage)
    const { path, records } = await writeFile(database, scratch, input.name, format, columns, what)
    input.records = records
    this.waiting.push([planned, () => deliver(path, open)])
  }

  async #print({ context }: PlannedNode, input: Relation, { limit, asTable }: Print): Promise<void> {
    const { database } = this.#run
    const columns = await database.columns(input.name)
    const cells = asTable
      ? columns.map(({ name, type }, index) => `${text(identifier(name), type)} AS c${index}`).join(", ")
      : `${jsonLine(columns)} AS line`
    const rows: Array<ReadonlyArray<string | null>> = []
    for await (const some of database.texts(`SELECT ${cells} FROM ${input.name} LIMIT ${limit + 1}`)) rows.push(...some)
    const more = rows.length > limit
    if (more) rows.pop()
    const header = columns.map(({ name }) => name)
    const lines = asTable
      ? [
          ...table(
            header,
            columns.map(({ type }) => isNumeric(type)),
            rows
          )
        ]
      : rows.map(([line]) => line ?? "")
    if (more) lines.push(`(the limit of ${limit} records is reached: the others are not shown)`)
    for (let at = 0; at < lines.length; at += printedAtOnce) await context.print(lines.slice(at, at + printedAtOnce))
  }

  /** Runs a node that has no SQL form. */
  async #feed(planned: PlannedNode, input: Relation): Promise<void> {
    const failed = new FailedRecords()
    const instance = await planned.start(this.#run.signal)
    input.records = await feed(instance, input.name, this.#run, failed)
    planned.failed(failed)
    if (planned.publishes(errors)) planned.relations.set(errors, await failed.relation(this.#run))
  }
}

import { identifier, isNumeric, jsonLine, text } from "../../drivers/duckdb/Columns.ts"
import { formatOf } from "../../nodes/formats/Encoder.ts"
import { table } from "../../nodes/formats/Table.ts"
import { errors, type Sink } from "../../nodes/Node.ts"
import { entryOf } from "../../nodes/outputs/ArchiveOutput.ts"
import { extensionOf } from "../../nodes/Paths.ts"
import { Failed, feed } from "./Bridge.ts"
import type { Relation, Station } from "./Graph.ts"
import { deliver, type OutputFormat, writeFile } from "./Outputs.ts"
import { numberOf, textOf, textsOf } from "./Settings.ts"
import type { Work } from "./Work.ts"

const printedAtOnce = 1000

const outputFormat = (format: string | undefined, name: string): OutputFormat => {
  if (format === "parquet" || format === "csv" || format === "lines" || format === "ndjson") return format
  return extensionOf(name) === "parquet" ? "parquet" : (formatOf(extensionOf(name)) ?? "ndjson")
}

/** The nodes at the end of a flowline. */
export class Receivers {
  readonly #run: Work
  /** What is left to do when every node has run. */
  readonly waiting: Array<readonly [station: Station, move: () => Promise<void>]> = []

  constructor(run: Work) {
    this.#run = run
  }

  /** Whether the node reads its input once and to the end, and so knows how many records it has. */
  counts({ type }: Station): boolean {
    return type.type !== "show" && type.kind === "output"
  }

  async run(station: Station): Promise<void> {
    const sources = station.sources
    const input = await this.#input(sources)
    const { settings } = station
    switch (station.type.type) {
      case "show":
        return this.#show(station, input)
      case "file_output": {
        const path = textOf(settings, "path") ?? ""
        const open = () => station.context.file(path)
        return this.#write(station, input, outputFormat(textOf(settings, "format"), path), `The file "${path}"`, open)
      }
      case "archive_output": {
        const [entry, format] = [textOf(settings, "entry"), textOf(settings, "format")]
        const given = { ...(entry === undefined ? {} : { entry }), ...(format === undefined ? {} : { format }) }
        const name = entryOf(given, station.component)
        const open = () => station.context.archiveEntry(name)
        return this.#write(station, input, outputFormat(format, name), "The archive", open)
      }
      default:
        if (station.type.kind !== "output") throw new Error(`${station.type.type} does not run in analytics`)
        return this.#feed(station, input)
    }
  }

  /** One relation of all inputs; columns that some of them lack are NULL there. */
  async #input(sources: ReadonlyArray<Relation>): Promise<Relation> {
    if (sources.length === 1) return sources[0]!
    const name = this.#run.database.relation()
    const union = sources.map((source) => `FROM ${source.name}`).join(" UNION ALL BY NAME ")
    await this.#run.database.run(`CREATE VIEW ${name} AS ${union}`)
    return { name, records: 0 }
  }

  async #write(
    station: Station,
    input: Relation,
    format: OutputFormat,
    what: string,
    open: () => Promise<Sink>
  ): Promise<void> {
    const { database, scratch } = this.#run
    const wanted = textsOf(station.settings, "columns")
    const { path, records } = await writeFile(database, scratch, input.name, format, wanted, what)
    input.records = records
    this.waiting.push([station, () => deliver(path, open)])
  }

  async #show({ settings, context }: Station, input: Relation): Promise<void> {
    const { database } = this.#run
    const limit = numberOf(settings, "limit") ?? 1000
    const asTable = textOf(settings, "format") !== "json"
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

  /** A node that knows records only. */
  async #feed(station: Station, input: Relation): Promise<void> {
    const failed = new Failed()
    const instance = await station.start(this.#run.signal)
    input.records = await feed(instance, input.name, this.#run, failed)
    station.failed(failed)
    if (station.publishes(errors)) station.relations.set(errors, await failed.relation(this.#run))
  }
}

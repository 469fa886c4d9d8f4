import { Predicate } from "effect"
import { jsonLine } from "../../drivers/duckdb/Columns.ts"
import { placeOf, statementFaults } from "../../drivers/duckdb/Statement.ts"
import { identifier } from "../../drivers/sql/Identifier.ts"
import { parseJson } from "../../languages/json/JsonValue.ts"
import { type Event, errors } from "../../nodes/Node.ts"
import { viewsOf } from "../../nodes/processing/Sql.ts"
import type { TrialRecorder } from "../TrialRecorder.ts"
import type { Scene } from "./ErrorText.ts"
import { Inputs } from "./InputRelations.ts"
import type { PlannedNode, Relation } from "./Plan.ts"
import { Receivers } from "./Receivers.ts"
import type { Work } from "./Work.ts"

/** Runs the nodes of a flowline one after the other. */
export class Steps {
  readonly #run: Work
  readonly #inputs: Inputs
  readonly #receivers: Receivers
  /** Nodes that already ran together with the node before them. */
  readonly #done = new Set<PlannedNode>()
  #component = ""
  #statement: Scene["statement"]

  constructor(run: Work) {
    this.#run = run
    this.#inputs = new Inputs(run)
    this.#receivers = new Receivers(run)
  }

  /** The current component and statement, for error messages. */
  scene(): Pick<Scene, "component" | "statement"> {
    const component = this.#component
    return this.#statement === undefined ? { component } : { component, statement: this.#statement }
  }

  #at(planned: PlannedNode): void {
    this.#component = planned.component
    this.#statement = undefined
  }

  /** Opens the files of an input. When all inputs are prepared, the database is closed to other files. */
  async prepare(planned: PlannedNode): Promise<void> {
    if (planned.type.kind !== "input") return
    this.#at(planned)
    await this.#inputs.prepare(planned)
  }

  async run(planned: PlannedNode): Promise<void> {
    if (this.#done.has(planned)) return
    this.#at(planned)
    const { watch } = this.#run
    if (watch === undefined) return this.#step(planned)
    const began = performance.now()
    if (planned.type.kind !== "output") await this.#step(planned)
    watch.recorder.took(planned.component, performance.now() - began)
    await recordRelations(planned, this.#run, watch.recorder)
  }

  async #step(planned: PlannedNode): Promise<void> {
    const { type, work } = planned
    if (type.kind === "input") await this.#inputs.publish(planned)
    else if (work?.kind === "query") await this.#query(planned, work.statement)
    else await this.#receive(planned)
  }

  /** Moves the written files to their places. Called when every statement has succeeded. */
  async deliver(): Promise<void> {
    for (const [planned, move] of this.#receivers.waiting) {
      this.#run.signal.throwIfAborted()
      this.#at(planned)
      await move()
    }
  }

  async #receive(planned: PlannedNode): Promise<void> {
    await this.#receivers.run(planned)
    await this.#count()
  }

  async #query(planned: PlannedNode, statement: string): Promise<void> {
    const { database, graph } = this.#run
    const publisher = (component: string) => {
      const found = graph.plannedNodes.find((other) => other.component === component)
      return found && { component, streams: found.node.publish.map(({ stream }) => stream) }
    }
    const { views, ambiguous } = viewsOf(planned.inputs, publisher)
    if (ambiguous.length > 0) throw new Error(`Two inputs have the view name ${JSON.stringify(ambiguous[0])}`)
    const faults = statementFaults(await database.serialize(statement), new Set(views.keys()))
    const fault = faults[0]
    if (fault !== undefined) {
      const place = fault.offset === undefined ? undefined : placeOf(statement, fault.offset)
      const where = place === undefined ? "" : ` (line ${place.line}, column ${place.column})`
      throw new Error(`${fault.detail}${where}`)
    }
    for (const [name, { from, stream }] of views) {
      await database.run(`CREATE VIEW ${viewName(name)} AS FROM ${from.relations.get(stream)!.name}`)
    }
    // A query that is only written to a file becomes a view, which saves a table.
    const only = planned.subscribers.length === 1 ? planned.subscribers[0] : undefined
    const isWatched = this.#run.watch !== undefined
    const straight = !isWatched && only !== undefined && only.inputs.length === 1 && this.#receivers.counts(only)
    const name = database.relation()
    const kind = isWatched ? "TABLE" : kindOf(planned, straight)
    const before = `CREATE ${kind} ${name} AS\n`
    this.#statement = { text: statement, before: Buffer.byteLength(before) }
    const records = await database.run(before + statement)
    await this.#count()
    const relation: Relation = { name, records }
    for (const { stream } of planned.node.publish) planned.relations.set(stream, relation)
    if (straight) {
      await this.#receive(only)
      this.#done.add(only)
    }
    this.#statement = undefined
    if (straight) await database.run(`DROP VIEW ${name}`)
    for (const view of views.keys()) await database.run(`DROP VIEW ${viewName(view)}`)
  }

  /** Stores the record counts of the last statement for the files that are not counted yet. */
  async #count(): Promise<void> {
    const open = this.#run.graph.plannedNodes
      .flatMap((planned) => [...planned.relations.values()])
      .filter(({ path, records }) => path !== undefined && records === 0)
    if (open.length === 0) return
    const scanned = await this.#run.database.scanned()
    for (const relation of open) relation.records = scanned.get(relation.path!) ?? 0
  }
}

/** The first records of everything that the node publishes, for a trial. */
const recordRelations = async (planned: PlannedNode, { database }: Work, recorder: TrialRecorder): Promise<void> => {
  const { component, relations, sources } = planned
  recorder.received(
    component,
    sources.reduce((sum, { records }) => sum + records, 0)
  )
  const seen = new Set<Relation>()
  for (const [stream, relation] of relations) {
    const columns = await database.columns(relation.name)
    const first: Array<Event> = []
    const query = `SELECT ${jsonLine(columns)} FROM ${relation.name} LIMIT ${recorder.records}`
    for await (const rows of database.texts(query))
      first.push(...rows.map(([line]) => parseJson(line ?? "{}")).filter(Predicate.isObject))
    recorder.carried(component, stream, relation.records, first)
    if (stream !== errors && !seen.has(relation)) recorder.sent(component, relation.records)
    seen.add(relation)
  }
}

/** A query without subscribers becomes a view: it is checked but not run. */
const kindOf = (planned: PlannedNode, straight: boolean): "TABLE" | "VIEW" =>
  straight || planned.subscribers.length === 0 ? "VIEW" : "TABLE"

const viewName = (name: string): string => `"memory"."main".${identifier(name)}`

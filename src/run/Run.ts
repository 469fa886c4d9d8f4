import { hostname } from "node:os"
import type { Layer } from "effect"
import type { Blobs } from "../drivers/blobs/Blobs.ts"
import { explain, Failure } from "../drivers/Failure.ts"
import { packagePath } from "../drivers/Package.ts"
import { processId } from "../drivers/ProcessName.ts"
import { guard } from "../drivers/threads/TimeLimit.ts"
import { failureOf, withEffects } from "../nodes/flowline/Outcome.ts"
import type { RunContext } from "../nodes/Node.ts"
import type { Flowline, Runtime } from "../protocol/Flowline.ts"
import { Masking } from "../protocol/Masking.ts"
import type { BlobPlace } from "../protocol/Places.ts"
import { decodeOrder, type NodeCounters, type Order, type RunMessage, secretsIn } from "../protocol/RunProtocol.ts"
import { Archive } from "./archive/ArchiveWriter.ts"
import { compileCache } from "./CompileCache.ts"
import { closeInherited } from "./Descriptors.ts"
import { Allowance } from "./files/DataFiles.ts"
import { StoredFiles } from "./files/StoredFiles.ts"
import { WrittenFiles } from "./files/WrittenFiles.ts"
import { inputs } from "./InputContext.ts"
import { Channel } from "./MessageChannel.ts"
import { Output } from "./Output.ts"
import { ParentWatch } from "./ParentWatch.ts"
import { lowerPriority } from "./Priority.ts"
import { documentsAt, runIdOf, sha256 } from "./SearchClient.ts"
import { TenantBudget } from "./TenantBudget.ts"

/** A flowline that is ready to run. `counters` may be read at any time. */
export interface Job {
  readonly run: () => Promise<void>
  readonly counters: () => ReadonlyArray<NodeCounters>
}

/** Sends a message to the parent. */
type Send = (message: RunMessage) => Promise<void> | undefined

/** Creates the job of a flowline; see `run/stream/Pipeline` for the stream runtime. */
export type MakeJob = (
  flowline: Flowline,
  makeContext: (component: string) => RunContext,
  order: Order,
  send: Send
) => Job | Promise<Job>

/** The modules that the entry program provides. */
export interface Modules {
  /** Loads a runtime. */
  readonly runtime: (runtime: Runtime, isTrial: boolean) => MakeJob | Promise<MakeJob>
  readonly blobs: (place: BlobPlace) => Layer.Layer<Blobs>
  /** Does in advance what a waiting child was told to be ready for. */
  readonly prepare?: () => Promise<void>
}

const counterMillis = 500

/** Not by the group's id, which differs inside the namespace of an isolated run. */
const killGroup = () => process.kill(0, "SIGKILL")

/**
 * The life of a child process: loads the nodes, waits for an order, runs it, reports the outcome and kills its own
 * process group, itself included, so that no process that a node started survives.
 */
export const serve = async (load: () => Promise<Modules>): Promise<void> => {
  closeInherited()
  let ordered = false
  const parent = new ParentWatch()
  const order = parent.order.finally(() => {
    ordered = true
  })
  const channel = new Channel()
  try {
    const keepCompiled = compileCache()
    const modules = await load()
    // A failure here repeats in the run that needs the modules, which then reports it.
    if (!ordered) await modules.prepare?.().catch(() => {})
    if (!ordered) keepCompiled()
    await new Run(decodeOrder(await order), channel, modules, parent).run()
  } catch (error) {
    await channel.send({ _tag: "Ended", ...failed(error, []) })
  }
  await channel.end()
  killGroup()
}

const failed = (error: unknown, hidden: ReadonlyArray<string>) => ({
  outcome: "failed" as const,
  ...explain(error, [...hidden, packagePath("")]),
  at: Date.now()
})

class Run {
  readonly #order: Order
  readonly #channel: Channel
  readonly #runtime: Modules["runtime"]
  readonly #output: Output
  readonly #archive: Archive
  readonly #stored: StoredFiles
  readonly #written: WrittenFiles
  readonly #abort = new AbortController()
  readonly #parent: ParentWatch
  readonly #budget: TenantBudget
  readonly #carried = new Map<string, unknown>()

  constructor(order: Order, channel: Channel, modules: Modules, parent: ParentWatch) {
    const mayPublish = () => parent.mayPublish(channel)
    this.#parent = parent
    this.#order = order
    this.#runtime = modules.runtime
    this.#channel = channel
    if (order.spec.secrets !== undefined) channel.mask(new Masking(Object.values(secretsIn(order.spec))))
    this.#output = new Output(channel, order.outputLines, order.outputBytes, order.spec.lasting)
    this.#budget = new TenantBudget(order.spec.tenant, order.spec.allowances)
    this.#archive = new Archive(order, new Allowance(order.fileBytes), this.#budget, modules.blobs(order.blobs))
    this.#stored = new StoredFiles(order.spec, modules.blobs(order.blobs))
    const files = new Allowance(order.fileBytes)
    this.#written = new WrittenFiles(order, files, this.#budget, mayPublish, this.#abort.signal)
  }

  readonly #context = (component: string): RunContext => ({
    ...inputs(this.#order, this.#stored, this.#abort.signal),
    patterns: this.#order.spec.patterns,
    trigger: this.#order.spec.trigger,
    triggerBody: this.#order.spec.triggerBody,
    guard,
    position: { load: () => this.#order.spec.positions?.[component] },
    savePositions: async (positions) => {
      const files = await this.#written.places()
      // Printed lines are sent first: the parent stores messages in the order in which they arrive.
      await this.#output.flush()
      await this.#channel.send({ _tag: "Positions", positions, files })
    },
    carried: {
      load: () => this.#order.spec.carried?.[component],
      save: (value) => void this.#carried.set(component, value)
    },
    documents: documentsAt(this.#order.search, this.#order.spec.tenant, this.#abort.signal, this.#budget),
    spend: (limit, amount) => this.#budget.spend(limit, amount),
    sha256,
    runId: runIdOf(this.#order.spec),
    origin: this.#order.spec.origin,
    work: this.#order.spec.work ?? this.#order.spec.executionId,
    scope: this.#order.spec.scope ?? this.#order.spec.executionId,
    file: (...file) => this.#written.open(...file),
    archiveEntry: (name) => this.#archive.entry(name),
    print: (lines) => this.#output.print(component, lines),
    // The pipeline counts what its nodes reject.
    reject: () => {},
    signal: this.#abort.signal
  })

  async run(): Promise<void> {
    const started = { jobId: `${hostname()}:${processId}`, pid: processId, at: Date.now() }
    await this.#channel.send({ _tag: "Started", ...started })
    // The watch on the parent ends the run of a dead gateway, for which others wait.
    lowerPriority(this.#parent.thread)
    process.once("SIGTERM", () => void this.#cancel())
    const stray = Promise.withResolvers<never>()
    process.on("uncaughtException", stray.reject)
    process.on("unhandledRejection", stray.reject)
    try {
      await Promise.race([this.#work(), stray.promise])
      const carried = this.#carried.size === 0 ? {} : { carried: Object.fromEntries(this.#carried) }
      await this.#channel.send({ _tag: "Ended", outcome: "succeeded", ...carried, at: Date.now() })
    } catch (error) {
      await this.#drop(error)
      const { conf, data, unfinished, scratch, blobs, roots } = this.#order
      const outside = Object.values(roots).map(({ path }) => path)
      const places = [unfinished, scratch, conf, data, blobs.kind === "disk" ? blobs.root : data, ...outside]
      await this.#channel.send({ _tag: "Ended", ...failed(error, places) })
    }
  }

  async #work(): Promise<void> {
    const { flowline, trial } = this.#order.spec
    const makeJob = await this.#runtime(flowline.runtime, trial !== undefined)
    const job = await makeJob(flowline, this.#context, this.#order, (message) => this.#channel.send(message))
    const counters = () => withEffects(flowline, job.counters())
    let told = ""
    const tell = () => {
      const nodes = counters()
      const text = JSON.stringify(nodes)
      if (text === told) return undefined
      told = text
      return this.#channel.send({ _tag: "Counters", nodes })
    }
    const timer = setInterval(() => this.#channel.congested || tell(), counterMillis)
    try {
      await job.run()
      const failure = failureOf(flowline, counters())
      if (failure !== undefined) throw new Failure(failure)
      const archived = await this.#archive.seal()
      await this.#written.publish()
      await this.#output.end()
      await tell()
      if (archived !== undefined) await this.#channel.send(archived)
    } catch (error) {
      await this.#output.end()
      await tell()
      throw error
    } finally {
      clearInterval(timer)
    }
  }

  /** Discards unfinished files. If that fails, the parent or the next sweep of the blobs removes them. */
  async #drop(reason: unknown): Promise<void> {
    this.#abort.abort(reason)
    await Promise.allSettled([this.#archive.discard(), this.#written.clear()])
  }

  /** The parent has sent SIGTERM; SIGKILL follows soon. */
  async #cancel(): Promise<void> {
    this.#output.end()
    await this.#drop(new Error("cancelled"))
    killGroup()
  }
}

import { mkdir } from "node:fs/promises"
import { text } from "node:stream/consumers"
import { Schema } from "effect"
import { Failure, ProgramFailure } from "../../drivers/Failure.ts"
import { findPython, noPython } from "../../drivers/python/Interpreter.ts"
import { catalogue } from "../../nodes/Catalogue.ts"
import { chosen, type Emit, errors, type NodeType, node, type RunContext } from "../../nodes/Node.ts"
import { Failures } from "../../nodes/records/Failures.ts"
import { componentOf, type DagNode, type Flowline } from "../../protocol/Flowline.ts"
import type { Order } from "../../protocol/RunProtocol.ts"
import type { Job } from "../Run.ts"
import { pipeline } from "../stream/Pipeline.ts"
import type { Message } from "./PythonMessage.ts"
import { Program, type PythonFile } from "./PythonProcess.ts"
import { inner, wire } from "./Wiring.ts"

const maxFiles = 1000
const maxCharacters = 16 * 1024 * 1024

/** The type of artifacts that contain Python nodes. */
const artifactType = /^python_node:/i

/**
 * The tenant's Python files: first those of its configuration, then artifacts in the versions that the flowline names,
 * then the latest versions.
 */
const filesOf = async (
  context: RunContext,
  resources: ReadonlyArray<string>,
  latest: ReadonlyArray<PythonFile>
): Promise<ReadonlyArray<PythonFile>> => {
  const files: Array<PythonFile> = []
  let characters = 0
  for (const path of await context.glob("nodes/*.py")) {
    const source = await text(context.read(path))
    characters += source.length
    if (files.length >= maxFiles || characters > maxCharacters) {
      throw new Failure(`nodes/ holds more than ${maxFiles} files or ${maxCharacters} characters of Python`)
    }
    files.push([path, source])
  }
  const named = resources.filter((resource) => artifactType.test(resource))
  for (const resource of named) files.push([resource, await text((await context.open({ resource })).read())])
  const artifactOf = (name: string) => name.split(":").slice(1, 3).join(":")
  const pinned = new Set(named.map(artifactOf))
  return [...files, ...latest.filter(([name]) => !pinned.has(artifactOf(name)))]
}

/** What Python says of a machine without a network: ENETUNREACH and EAI_AGAIN. */
const unreachable = /Network is unreachable|Temporary failure in name resolution/

const withNetworkHint = (error: string): string =>
  unreachable.test(error) ? `${error}\n  Python nodes of this tenant have no network: see docs/isolation.md` : error

/** The Python nodes as seen by the pipeline; the work is done in the Python process. */
class Nodes {
  readonly #program: Program
  readonly #fed: ReadonlySet<string>
  readonly #emits = new Map<string, Emit>()
  readonly #failures = new Map<string, Failures>()
  readonly #ends = new Map<string, PromiseWithResolvers<void>>()
  readonly #print: (component: string, lines: ReadonlyArray<string>) => void | Promise<void>
  readonly #hasNetwork: boolean
  readonly #took: (component: string, millis: number) => void
  readonly counts = new Map<string, readonly [recordsIn: number, recordsOut: number, errors: number]>()
  failure: ProgramFailure | undefined

  constructor(
    program: Program,
    components: Iterable<string>,
    fed: ReadonlySet<string>,
    print: (component: string, lines: ReadonlyArray<string>) => void | Promise<void>,
    hasNetwork: boolean,
    took: (component: string, millis: number) => void
  ) {
    this.#hasNetwork = hasNetwork
    this.#took = took
    this.#program = program
    this.#fed = fed
    this.#print = print
    for (const component of components) {
      const end = Promise.withResolvers<void>()
      end.promise.catch(() => {})
      this.#ends.set(component, end)
    }
    void this.#read()
  }

  async #read(): Promise<void> {
    try {
      await this.#program.read((message) => this.#take(message))
      throw new Failure(await this.#program.reason())
    } catch (error) {
      for (const end of this.#ends.values()) end.reject(error)
    }
  }

  async #take(message: Message): Promise<void> {
    const [kind, what] = message
    switch (kind) {
      case "rows":
        await this.#emits.get(what)?.(chosen, message[2])
        break
      case "errors": {
        const failures = this.#failures.get(what)
        for (const [row, reason] of message[2]) failures?.add(row, reason)
        await failures?.send((stream, batch) => this.#emits.get(what)?.(stream, batch))
        break
      }
      case "print":
        await this.#print(what, message[2])
        break
      case "counters":
        for (const [component, count] of Object.entries(what)) this.counts.set(component, count)
        break
      case "ended":
        this.#took(what, message[2] / 1000)
        this.#ends.get(what)?.resolve()
        break
      case "failed":
        this.failure ??= new ProgramFailure(this.#hasNetwork ? message[2] : withNetworkHint(message[2]), what)
        this.#program.kill()
    }
  }

  readonly type = (name: string): NodeType =>
    node({
      type: name,
      kind: "processing",
      description: "",
      runtimes: ["pybatch"],
      settings: Schema.Record(Schema.String, Schema.Unknown),
      inputs: { min: 1, max: Number.POSITIVE_INFINITY },
      outputs: [chosen, errors, inner],
      example: {},
      start: (_, context) => {
        const { component } = context
        this.#emits.set(component, context.emit)
        this.#failures.set(component, new Failures(context))
        return {
          process: async (batch) => {
            if (this.failure !== undefined) throw this.failure
            await this.#program.rows(component, batch)
          },
          end: async () => {
            if (this.#fed.has(component)) await this.#program.end(component)
            await this.#ends.get(component)?.promise
          }
        }
      }
    })
}

/** How a trial watches the nodes. */
export interface Watch {
  readonly typeOf: (type: NodeType, node: DagNode) => NodeType
  /** Receives the processor time of a Python node in milliseconds. */
  readonly took: (component: string, millis: number) => void
}

const unwatched: Watch = { typeOf: (type) => type, took: () => {} }

/**
 * Runs a flowline of Python nodes. All of them run in one Python process; the inputs and outputs around them are nodes
 * of the catalogue and run here.
 */
export const pybatch = async (
  flowline: Flowline,
  makeContext: (component: string) => RunContext,
  { scratch, spec, python }: Pick<Order, "scratch" | "python"> & { readonly spec: Pick<Order["spec"], "modules"> },
  watch?: Watch
): Promise<Job> => {
  const { typeOf, took } = watch ?? unwatched
  const { outer, order, fed } = wire(flowline, watch !== undefined)
  const first = order.nodes[0]
  const known = (type: string, node: DagNode) => {
    const found = catalogue.get(type)
    return found && typeOf(found, node)
  }
  if (first === undefined) return pipeline(flowline, makeContext, known)
  if (python?.refusal !== undefined) throw new Failure(python.refusal)
  const interpreter = python === undefined ? await findPython() : python.interpreter
  if (interpreter === undefined) throw new Failure(noPython)
  const files = await filesOf(makeContext(first.component), flowline.settings.resources ?? [], spec.modules ?? [])
  const contexts = new Map(flowline.dag.map((node) => [componentOf(node), makeContext(componentOf(node))]))
  const print = (component: string, lines: ReadonlyArray<string>) => contexts.get(component)?.print(lines)
  await mkdir(scratch, { recursive: true })
  const isolation = python?.isolation
  const printFirst = (lines: ReadonlyArray<string>) => void print(first.component, lines)
  const program = await Program.start(interpreter, isolation, scratch, { ...order, files }, printFirst)
  const components = order.nodes.map(({ component }) => component)
  const nodes = new Nodes(program, components, fed, print, isolation?.parts.includes("network") !== true, took)
  const job = pipeline(outer, makeContext, (type, node) => known(type, node) ?? typeOf(nodes.type(type), node))
  return {
    counters: () =>
      job.counters().map((counters) => {
        const [recordsIn, recordsOut] = nodes.counts.get(counters.component) ?? []
        return recordsIn === undefined || recordsOut === undefined ? counters : { ...counters, recordsIn, recordsOut }
      }),
    run: async () => {
      try {
        await job.run()
        program.close()
        await program.reason()
      } catch (error) {
        program.kill()
        await program.reason()
        throw nodes.failure ?? error
      }
    }
  }
}

import { Schema } from "effect"
import type { Event, NodeContext, NodeType, RunContext } from "../../src/nodes/Node.ts"
import type { Sink } from "../../src/nodes/ports/NodeFiles.ts"
import { Flowline } from "../../src/protocol/Flowline.ts"
import type { NodeCounters } from "../../src/protocol/RunProtocol.ts"
import { pipeline } from "../../src/run/stream/Pipeline.ts"
import { absent } from "./absent.ts"

/** A run's environment in memory. Files are texts, or the chunks that reading them yields. */
export class Memory {
  readonly files: Map<string, ReadonlyArray<Uint8Array>>
  readonly written = new Map<string, string>()
  readonly entries = new Map<string, string>()
  readonly printed: Array<string> = []
  readonly rejected: Array<{ component: string; count: number; reason: string }> = []
  readonly abort = new AbortController()

  constructor(files: Record<string, string | ReadonlyArray<Uint8Array>> = {}) {
    this.files = new Map(
      Object.entries(files).map(([path, content]) => [
        path,
        typeof content === "string" ? [new TextEncoder().encode(content)] : content
      ])
    )
  }

  sink(into: Map<string, string>, name: string): Sink {
    let text = ""
    return {
      write: async (chunk) => {
        text += typeof chunk === "string" ? chunk : new TextDecoder().decode(chunk)
      },
      close: async () => {
        into.set(name, text)
      }
    }
  }

  readonly context = (component: string): RunContext => {
    const { files } = this
    return {
      ...absent,
      glob: async (pattern) => {
        if (!pattern.includes("*")) {
          if (!files.has(pattern)) throw new Error(`${pattern}: no such file`)
          return [pattern]
        }
        const [head = "", tail = ""] = pattern.split("*")
        return [...files.keys()].filter((path) => path.startsWith(head) && path.endsWith(tail)).sort()
      },
      read: async function* (path) {
        yield* files.get(path) ?? []
      },
      open: async (reference) => {
        const name = "registry" in reference ? reference.registry : reference.resource
        return { name, read: () => this.context(component).read(name) }
      },
      file: async (path) => this.sink(this.written, path),
      archiveEntry: async (name) => this.sink(this.entries, name),
      print: async (lines) => {
        this.printed.push(...lines)
      },
      reject: (count, reason) => this.rejected.push({ component, count, reason }),
      signal: this.abort.signal
    }
  }

  nodeContext(component: string): NodeContext {
    const context = this.context(component)
    return { ...context, component, position: { ...context.position, save: () => {} }, emit: () => {} }
  }
}

/** Decodes the flowline by its schema alone and runs it to its end. */
export const run = async (flowline: object, memory: Memory = new Memory()): Promise<ReadonlyArray<NodeCounters>> => {
  const { run, counters } = pipeline(Schema.decodeUnknownSync(Flowline)(flowline), memory.context)
  await run()
  return counters()
}

/** What one node makes of the batches, stream by stream, without a pipeline. */
export const process = async (
  node: NodeType,
  settings: Record<string, unknown>,
  batches: ReadonlyArray<ReadonlyArray<Event>>,
  memory: Memory = new Memory()
): Promise<Map<string, Array<Event>>> => {
  const streams = new Map<string, Array<Event>>()
  const emit = (stream: string, batch: ReadonlyArray<Event>) => {
    const events = streams.get(stream)
    if (events === undefined) streams.set(stream, [...batch])
    else for (const event of batch) events.push(event)
  }
  const decoded = Schema.decodeUnknownSync(node.settings)(settings)
  const instance = await node.start(decoded, memory.nodeContext("node"))
  for (const batch of batches) await instance.process?.(batch, emit)
  await instance.end?.(emit)
  return streams
}

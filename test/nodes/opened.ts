import type { RunContext } from "../../src/nodes/Node.ts"
import type { OpenFile } from "../../src/nodes/ports/NodeFiles.ts"
import { Memory } from "./memory.ts"

/** In-memory files that can be opened like those of a run. */
export class Opened extends Memory {
  readonly #texts: Readonly<Record<string, string>>
  readonly #open: Array<Uint8Array | undefined> = []

  constructor(texts: Readonly<Record<string, string>>) {
    super(texts)
    this.#texts = texts
  }

  readonly opening = (component: string): RunContext => ({ ...this.context(component), openFile: this.openFile })

  /** How many files are open. */
  get opened(): number {
    return this.#open.filter((bytes) => bytes !== undefined).length
  }

  readonly readAt = (id: number, into: Uint8Array, at: number): number => {
    const bytes = this.#open[id]
    if (bytes === undefined) throw new Error("the file is not open")
    const some = bytes.subarray(at, at + into.length)
    into.set(some)
    return some.length
  }

  readonly openFile = async (path: string): Promise<OpenFile> => {
    const bytes = new TextEncoder().encode(this.#texts[path] ?? "")
    const id = this.#open.push(bytes) - 1
    return {
      id,
      size: async () => bytes.length,
      read: async (into, at) => this.readAt(id, into, at),
      close: async () => {
        this.#open[id] = undefined
      }
    }
  }
}

import type { ChildProcess } from "node:child_process"
import { once } from "node:events"
import { Readable } from "node:stream"
import { setImmediate } from "node:timers/promises"
import { Failure } from "../../drivers/Failure.ts"
import { startPython } from "../../drivers/isolation/PythonStart.ts"
import type { Batch } from "../../nodes/Node.ts"
import type { Interpreter, Isolation } from "../../protocol/Isolation.ts"
import { type Message, maxMessageBytes, readMessage } from "./PythonMessage.ts"

/** A file of Python nodes: its path below the tenant's configuration folder, or the name of its artifact. */
export type PythonFile = readonly [name: string, text: string]

/** The first message to the Python process: the nodes to run. */
export interface PythonOrder {
  readonly nodes: ReadonlyArray<{
    readonly component: string
    readonly type: string
    readonly settings: Readonly<Record<string, unknown>>
    /** How many senders have to end before the node's input has ended. */
    readonly senders: number
    /** Whether nodes outside of the process receive its rows. */
    readonly asked: boolean
  }>
  /** Connections inside the process: sender, stream, receiver. */
  readonly edges: ReadonlyArray<readonly [string, string, string]>
  readonly files: ReadonlyArray<PythonFile>
}

const tailBytes = 4096

/** The rest of a longer line is omitted, as in all output. */
const maxLine = 64 * 1024

/** Prints text that arrives in pieces, line by line. */
class OutputLines {
  readonly #print: (lines: ReadonlyArray<string>) => void
  #waiting = ""

  constructor(print: (lines: ReadonlyArray<string>) => void) {
    this.#print = print
  }

  add(text: string): void {
    const lines = text.split("\n")
    lines[0] = this.#waiting + lines[0]
    this.#waiting = (lines.pop() ?? "").slice(0, maxLine)
    if (lines.length > 0) this.#print(lines)
  }

  end(): void {
    if (this.#waiting !== "") this.#print([this.#waiting])
    this.#waiting = ""
  }
}

/** The Python process of a run. It is in the run's process group and ends with it. */
export class Program {
  readonly #process: ChildProcess
  readonly #messages: Readable
  readonly #outputs: Array<OutputLines> = []
  #tail = ""
  #ended: Promise<string>

  /** Starts Python in an empty folder. */
  static async start(
    python: Interpreter,
    isolation: Isolation | undefined,
    folder: string,
    order: PythonOrder,
    print: (lines: ReadonlyArray<string>) => void
  ): Promise<Program> {
    const started = startPython("run.py", python, isolation, { folder, stdio: ["pipe", "pipe", "pipe", "pipe"] })
    return new Program(started, order, print)
  }

  private constructor(started: ChildProcess, order: PythonOrder, print: (lines: ReadonlyArray<string>) => void) {
    this.#process = started
    const messages = this.#process.stdio[3]
    this.#messages = messages instanceof Readable ? messages : Readable.from([])
    for (const stream of this.#process.stdio) stream?.on("error", () => {})
    // This is output of programs that a node starts, and output that bypasses Python's streams; prints of Python nodes
    // arrive as messages.
    for (const stream of [this.#process.stdout, this.#process.stderr]) {
      if (stream === null) continue
      const lines = new OutputLines(print)
      this.#outputs.push(lines)
      stream.setEncoding("utf8").on("data", (text: string) => {
        this.#tail = (this.#tail + text).slice(-tailBytes)
        lines.add(text)
      })
    }
    this.#ended = new Promise((resolve) => {
      this.#process.once("error", (error) => resolve(`could not be started: ${error.message}`))
      this.#process.once("exit", (code, signal) =>
        resolve(`ended early, with ${signal === null ? `exit code ${code}` : `signal ${signal}`}`)
      )
    })
    void this.#write(order)
  }

  async #write(value: unknown): Promise<void> {
    const { stdin } = this.#process
    if (stdin === null || stdin.destroyed || stdin.write(`${JSON.stringify(value)}\n`)) return
    // After the process has ended, a write stays pending; the exit code explains the failure.
    await Promise.race([once(stdin, "drain"), once(stdin, "close"), this.#ended]).catch(() => {})
  }

  /** Resolves when the process can receive more. */
  rows(component: string, rows: Batch): Promise<void> {
    return this.#write(["rows", component, rows])
  }

  end(component: string): Promise<void> {
    return this.#write(["end", component])
  }

  /** Passes each message to `take`, one after the other, until the process has ended. */
  async read(take: (message: Message) => void | Promise<void>): Promise<void> {
    let waiting: Array<Buffer> = []
    let bytes = 0
    for await (const chunk of this.#messages) {
      waiting.push(chunk)
      bytes += chunk.length
      if (bytes > maxMessageBytes)
        throw new Failure(`A Python node sent a message of more than ${maxMessageBytes} bytes`)
      if (!chunk.includes(0x0a)) continue
      const text = Buffer.concat(waiting)
      const end = text.lastIndexOf(0x0a)
      waiting = [text.subarray(end + 1)]
      bytes = text.length - end - 1
      for (const line of text.toString("utf8", 0, end).split("\n")) await take(readMessage(line))
    }
  }

  /** How the process ended, with the last of its output. All that it wrote has been printed then. */
  async reason(): Promise<string> {
    const how = await this.#ended
    // Bytes that the process left in its pipes are read in the next turn of the event loop. The pipes may never end,
    // because programs that the process started can keep them open.
    for (let turn = 0; turn < 2; turn++) await setImmediate()
    for (const lines of this.#outputs) lines.end()
    const tail = this.#tail.trim().split("\n").at(-1) ?? ""
    return `The Python process ${how}${tail === "" ? "" : `: ${tail}`}`
  }

  /** Closes the input of the process, so that it ends. */
  close(): void {
    this.#process.stdin?.end()
  }

  kill(): void {
    this.#process.kill("SIGKILL")
  }
}

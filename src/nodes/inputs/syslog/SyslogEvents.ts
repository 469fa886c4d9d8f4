import { beginnings, LineCollector, limitTag, type Multiline } from "../../formats/Multiline.ts"
import type { Event, NodeContext } from "../../Node.ts"
import type { RecordBatcher } from "../RecordBatcher.ts"

/** Maximum numbers of events that are being collected at a time, and of their bytes; then the oldest one is complete. */
const maxEvents = 1000
const maxBytes = 8 * 1024 * 1024

/** A message, and its record; undefined for a text without a header. */
interface ReceivedMessage {
  readonly sender: string
  readonly text: string
  readonly event: Event | undefined
}

/** An event that is being collected. */
interface Open {
  readonly sender: string
  readonly lines: LineCollector<Event>
  /** When its last line came. */
  grownAt: number
}

/** Messages with the same value belong to one program of a sender. */
const programOf = (sender: string, event: Event): string =>
  JSON.stringify([sender, event["hostname"], event["appname"], event["procid"]])

const encoder = new TextEncoder()

/**
 * Joins the messages of a program that belong to one event. A text without a header continues the latest message of its
 * sender: some senders write the lines of an event one below the other behind a single header.
 */
export class SyslogEvents {
  readonly #multiline: Multiline
  readonly #begins: ReturnType<typeof beginnings>
  readonly #gather: RecordBatcher
  /** By program; the one that has waited longest is the first. */
  readonly #open = new Map<string, Open>()
  /** The latest program of each sender. */
  readonly #latest = new Map<string, string>()
  #bytes = 0
  #received: Array<ReceivedMessage> = []
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(multiline: Multiline, context: NodeContext, gather: RecordBatcher) {
    this.#multiline = multiline
    this.#begins = beginnings(multiline, context.guard)
    this.#gather = gather
    context.signal.addEventListener("abort", () => clearTimeout(this.#timer), { once: true })
  }

  /** Adds a message, which {@link read} takes together with others. */
  add(received: ReceivedMessage): void {
    this.#received.push(received)
  }

  /** Takes the messages that were added. */
  read(): void {
    const all = this.#received
    this.#received = []
    const known = this.#begins(all.map(({ text, event }) => (event === undefined ? text : String(event["message"]))))
    for (let at = 0; at < all.length; at++) this.#take(all[at]!, known[at]!)
  }

  /** The sender is gone: its events are complete. */
  end(sender: string): void {
    this.read()
    for (const [program, open] of this.#open) if (open.sender === sender) this.#close(program)
    this.#latest.delete(sender)
  }

  #take({ sender, text, event }: ReceivedMessage, begins: boolean | string): void {
    const program = event === undefined ? this.#latest.get(sender) : programOf(sender, event)
    const first = event ?? (program === undefined || begins ? undefined : this.#open.get(program)?.lines.first)
    if (program === undefined || first === undefined || typeof begins === "string") {
      const reason = typeof begins === "string" ? begins : "the text is not a syslog message"
      this.#gather.fail({ message: text }, reason, text.length)
      return
    }
    const open = this.#open.get(program) ?? { sender, lines: new LineCollector<Event>(this.#multiline), grownAt: 0 }
    // The one that has grown last comes last.
    this.#open.delete(program)
    this.#open.set(program, open)
    this.#latest.set(sender, program)
    open.grownAt = performance.now()
    const line = event === undefined ? text : String(event["message"])
    const before = open.lines.bytes
    this.#pass(open.lines.add({ text: line, bytes: encoder.encode(line).length, of: first }, begins))
    this.#bytes += open.lines.bytes - before
    for (const oldest of this.#open.keys()) {
      if (this.#open.size <= maxEvents && this.#bytes <= maxBytes) break
      this.#close(oldest)
    }
    this.#timer ??= setTimeout(this.#expire, this.#multiline.flush_after * 1000)
  }

  readonly #expire = (): void => {
    this.#timer = undefined
    const millis = this.#multiline.flush_after * 1000
    for (const [program, { grownAt }] of this.#open) {
      const left = grownAt + millis - performance.now()
      if (left > 0) {
        this.#timer = setTimeout(this.#expire, left)
        return
      }
      this.#close(program)
    }
  }

  #close(program: string): void {
    const open = this.#open.get(program)
    if (open === undefined) return
    this.#open.delete(program)
    if (this.#latest.get(open.sender) === program) this.#latest.delete(open.sender)
    this.#bytes -= open.lines.bytes
    this.#pass(open.lines.end())
  }

  #pass(joined: ReturnType<LineCollector<Event>["end"]>): void {
    if (joined === undefined) return
    const { of, text, isCut } = joined
    const event = { ...of, message: text }
    this.#gather.add(isCut ? { ...event, tags: [limitTag] } : event, text.length)
  }
}

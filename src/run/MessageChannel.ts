import { Socket } from "node:net"
import type { Masking, MaskTexts } from "../protocol/Masking.ts"
import { channelFd, type RunMessage } from "../protocol/RunProtocol.ts"
import type { TrialReport } from "../protocol/Trial.ts"

/** The texts of records are JSON, in which the values of secrets are found too. */
const maskedReport = (report: TrialReport, { text }: Masking): TrialReport => ({
  ...report,
  ...(report.error === undefined ? {} : { error: text(report.error) }),
  printed: report.printed.map((line) => ({ ...line, text: text(line.text) })),
  streams: report.streams.map((stream) => ({ ...stream, records: stream.records.map(text) })),
  nodes: report.nodes.map((node) => ({
    ...node,
    ...(node.lost && { lost: { ...node.lost, reasons: node.lost.reasons.map(text) } }),
    ...(node.dropped && { dropped: { ...node.dropped, records: node.dropped.records.map(text) } }),
    ...(node.unmatched && { unmatched: node.unmatched.map((one) => ({ ...one, text: text(one.text) })) })
  }))
})

/** The channel to the parent: ordered, one message per line. While the parent is slow, `send` stays pending. */
export class Channel {
  readonly #socket = new Socket({ fd: channelFd, readable: false, writable: true })
  #drained: Promise<void> | undefined
  #masking: Masking | undefined
  /** Masks the output of each component. */
  readonly #outputs = new Map<string, MaskTexts>()

  constructor() {
    // The parent has ended; the parent watch ends this process.
    this.#socket.on("error", () => {})
  }

  /** From now on, masks all texts for users. */
  mask(masking: Masking): void {
    this.#masking = masking
  }

  /** Whether the parent is behind. Messages that can be left out, such as counters, should be. */
  get congested(): boolean {
    return this.#drained !== undefined
  }

  send(message: RunMessage): Promise<void> | undefined {
    const sent = this.#masking === undefined ? message : this.#masked(message, this.#masking)
    if (this.#socket.write(`${JSON.stringify(sent)}\n`)) return undefined
    this.#drained ??= new Promise((resolve) => {
      const done = () => {
        this.#drained = undefined
        resolve()
      }
      this.#socket.once("drain", done)
    })
    return this.#drained
  }

  #masked(message: RunMessage, masking: Masking): RunMessage {
    switch (message._tag) {
      case "Output": {
        const lines = message.lines.map((line) => ({
          ...line,
          text: this.#outputOf(line.component, masking)(line.text)
        }))
        return { ...message, lines }
      }
      case "Counters": {
        const nodes = message.nodes.map((node) =>
          node.lastError === undefined ? node : { ...node, lastError: masking.text(node.lastError) }
        )
        return { ...message, nodes }
      }
      case "Tried":
        return { ...message, report: maskedReport(message.report, masking) }
      case "Ended":
        return message.error === undefined ? message : { ...message, error: masking.text(message.error) }
      default:
        return message
    }
  }

  #outputOf(component: string, masking: Masking): MaskTexts {
    const known = this.#outputs.get(component) ?? masking.following()
    this.#outputs.set(component, known)
    return known
  }

  /** Resolves when all messages are in the parent's end of the pipe. */
  end(): Promise<void> {
    return new Promise((resolve) => {
      this.#socket.once("error", () => resolve())
      this.#socket.end(() => resolve())
    })
  }
}

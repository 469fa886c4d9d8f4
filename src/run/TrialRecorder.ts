import type { Event } from "../nodes/Node.ts"
import { componentOf, type Flowline } from "../protocol/Flowline.ts"
import type { TrialCase, TrialReport, TriedNode } from "../protocol/Trial.ts"

/** Maximum number of reasons of lost records, and of records that are remembered as dropped, of each node. */
const maxReasons = 10
const maxReason = 1000
/** Maximum number of printed lines, and of characters of each. */
const maxLines = 100
const maxLine = 1000

interface Shown {
  count: number
  readonly texts: Array<string>
}

interface Found {
  recordsIn: number
  recordsOut: number
  millis: number | undefined
  lostCount: number
  readonly reasons: Set<string>
  dropped: Shown | undefined
  unmatched: TriedNode["unmatched"]
  hasMore: boolean
  readonly streams: Map<string, Shown>
}

/** Keeps the first records of every stream of a tried flowline, within the bytes that all of them may take. */
export class TrialRecorder {
  /** How many records of a list are kept at most. */
  readonly records: number
  readonly #found: ReadonlyMap<string, Found>
  /** Bytes that are left, for each list of records alike, so that the first nodes do not use up all. */
  readonly #bytesEach: number
  readonly #used = new Map<Shown, number>()

  readonly #printed: Array<{ readonly component: string; readonly text: string }> = []

  constructor({ dag }: Flowline, { records, bytes }: Pick<TrialCase, "records" | "bytes">) {
    this.records = records
    this.#found = new Map(
      dag.map((node) => [
        componentOf(node),
        {
          recordsIn: 0,
          recordsOut: 0,
          millis: undefined,
          lostCount: 0,
          reasons: new Set(),
          dropped: undefined,
          unmatched: undefined,
          hasMore: false,
          streams: new Map(node.publish.map(({ stream }) => [stream, { count: 0, texts: [] }]))
        }
      ])
    )
    const lists = dag.reduce((sum, { publish }) => sum + publish.length + 2, 0)
    this.#bytesEach = Math.floor(bytes / Math.max(1, lists))
  }

  #of(component: string): Found {
    const found = this.#found.get(component)
    if (found === undefined) throw new Error(`there is no component ${component}`)
    return found
  }

  #show(shown: Shown, records: ReadonlyArray<Event>): void {
    shown.count += records.length
    this.#keep(shown, records)
  }

  #keep(shown: Shown, records: ReadonlyArray<Event>): void {
    let used = this.#used.get(shown) ?? 0
    for (const record of records) {
      if (shown.texts.length >= this.records || used >= this.#bytesEach) break
      const text = JSON.stringify(record)
      used += Buffer.byteLength(text)
      // A record that does not fit ends the list, so that it stays the beginning of the stream.
      if (used <= this.#bytesEach) shown.texts.push(text)
    }
    this.#used.set(shown, used)
  }

  received(component: string, count: number): void {
    this.#of(component).recordsIn += count
  }

  /** Records that leave the node: on a stream that it publishes, or on `errors`. */
  published(component: string, stream: string, records: ReadonlyArray<Event>): void {
    const { streams } = this.#of(component)
    const shown = streams.get(stream) ?? { count: 0, texts: [] }
    streams.set(stream, shown)
    this.#show(shown, records)
  }

  /** The first records of a stream whose number is known already. */
  carried(component: string, stream: string, count: number, first: ReadonlyArray<Event>): void {
    this.published(component, stream, [])
    const shown = this.#of(component).streams.get(stream)!
    shown.count = count
    this.#keep(shown, first)
  }

  /** Records that went out, counted once for all streams that carry them. */
  sent(component: string, count: number): void {
    this.#of(component).recordsOut += count
  }

  /** Records that failed without one that says so. */
  lost(component: string, count: number, reason: string): void {
    const found = this.#of(component)
    found.lostCount += count
    if (found.reasons.size < maxReasons) found.reasons.add(reason.slice(0, maxReason))
  }

  took(component: string, millis: number): void {
    const found = this.#of(component)
    found.millis = (found.millis ?? 0) + millis
  }

  dropped(component: string, records: ReadonlyArray<Event>): void {
    const found = this.#of(component)
    found.dropped ??= { count: 0, texts: [] }
    this.#show(found.dropped, records)
  }

  unmatched(component: string, settings: NonNullable<TriedNode["unmatched"]>): void {
    this.#of(component).unmatched = settings
  }

  /** The input has more records than were read. */
  more(component: string): void {
    this.#of(component).hasMore = true
  }

  printed(component: string, lines: ReadonlyArray<string>): void {
    for (const line of lines.slice(0, maxLines - this.#printed.length))
      this.#printed.push({ component, text: line.slice(0, maxLine) })
  }

  readonly report = (): Pick<TrialReport, "nodes" | "streams" | "printed"> => ({
    printed: this.#printed,
    nodes: [...this.#found].map(([component, found]) => ({
      component,
      recordsIn: found.recordsIn,
      recordsOut: found.recordsOut,
      ...(found.millis === undefined ? {} : { micros: Math.round(found.millis * 1000) }),
      ...(found.lostCount === 0 ? {} : { lost: { count: found.lostCount, reasons: [...found.reasons] } }),
      ...(found.dropped === undefined ? {} : { dropped: { count: found.dropped.count, records: found.dropped.texts } }),
      ...(found.unmatched === undefined ? {} : { unmatched: found.unmatched }),
      ...(found.hasMore ? { more: true } : {})
    })),
    streams: [...this.#found].flatMap(([component, { streams }]) =>
      [...streams].map(([stream, { count, texts }]) => ({ component, stream, count, records: texts }))
    )
  })
}

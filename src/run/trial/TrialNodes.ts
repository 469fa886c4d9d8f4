import { Predicate } from "effect"
import { finishes } from "../../languages/Guard.ts"
import type { Alternative, Alternatives } from "../../nodes/Capabilities.ts"
import { catalogue } from "../../nodes/Catalogue.ts"
import { plainReading, RecordReader } from "../../nodes/formats/RecordReader.ts"
import {
  type Batch,
  chosen,
  type Emit,
  type Event,
  errors,
  type Instance,
  type NodeContext,
  type NodeType
} from "../../nodes/Node.ts"
import { batchRecords } from "../../nodes/records/BatchSize.ts"
import { sourceOf, withSources } from "../../nodes/records/Source.ts"
import type { DagNode } from "../../protocol/Flowline.ts"
import { type Sample, sampleOf, type TrialCase } from "../../protocol/Trial.ts"
import type { TrialRecorder } from "../TrialRecorder.ts"

/** Milliseconds that a real input has for its first records: one that follows a file may never have so many. */
const inputMillis = 2000
/** Processor time in milliseconds to find out which alternatives of a node fit the records of a batch. */
const fitMillis = 500

/** The reason with which an input is stopped after its first records. */
const enough = new Error("the first records are enough")

/** Emits the sample as the input would emit what it reads. */
const emitSample = async (
  type: NodeType,
  settings: unknown,
  context: NodeContext,
  sample: Sample,
  emit: Emit
): Promise<void> => {
  if ("records" in sample) {
    for (let at = 0; at < sample.records.length; at += batchRecords)
      await emit(chosen, sample.records.slice(at, at + batchRecords))
    return
  }
  const text = Buffer.from(sample.base64, "base64")
  if (type.sample !== undefined) return type.sample(settings, context)(text, emit, sample.encoding)
  const reader = new RecordReader(plainReading("lines"), context, emit)
  await reader.push(text)
  await reader.end()
}

/** Finds the alternatives of a node that fit none of its records. */
class Fitting {
  readonly #open: Set<Alternative>
  readonly #alternatives: Alternatives
  readonly #context: NodeContext
  #seen = false

  constructor(alternatives: Alternatives, context: NodeContext) {
    this.#alternatives = alternatives
    this.#open = new Set(alternatives.list)
    this.#context = context
  }

  see(batch: Batch): void {
    if (this.#open.size === 0 || batch.length === 0) return
    this.#seen = true
    const { list, isFirst } = this.#alternatives
    const look = () => {
      for (const event of batch) {
        const fitting = isFirst
          ? [list.find(({ fits }) => fits(event))]
          : [...this.#open].filter(({ fits }) => fits(event))
        for (const one of fitting) if (one !== undefined) this.#open.delete(one)
        if (this.#open.size === 0) return
      }
    }
    const { guard } = this.#context
    // Alternatives that take too long to check are not reported.
    if (guard === undefined) look()
    else if (!finishes(guard, fitMillis, look)) this.#open.clear()
  }

  /** Undefined when there is nothing to tell. */
  get unmatched(): ReadonlyArray<Pick<Alternative, "path" | "text">> | undefined {
    if (!this.#seen || this.#alternatives.list.length < 2) return undefined
    return [...this.#open].map(({ path, text }) => ({ path, text }))
  }
}

/** Follows the records of a node from its input to its output. */
class TracedRecords {
  /** Records that came in, by their place, as long as nothing went out of them. */
  readonly #waiting = new Map<number, Event>()
  #isTraced = true
  #at = 0

  /** The records with their places as their sources. */
  received(component: string, batch: Batch): Batch {
    const traced = withSources(batch, component, this.#at)
    for (const event of batch) this.#waiting.set(this.#at++, event)
    return traced
  }

  sent(batch: Batch): void {
    for (const event of batch) {
      const source = sourceOf(event)
      if (source === undefined) this.#isTraced = false
      else this.#waiting.delete(source.at)
      // A record may have become a member of another one.
      for (const member of Object.values(event)) {
        const inner = Predicate.isObject(member) ? sourceOf(member) : undefined
        if (inner !== undefined) this.#waiting.delete(inner.at)
      }
    }
  }

  /** The records of which nothing went out; none when a record went out whose source is not known. */
  get dropped(): ReadonlyArray<Event> {
    return this.#isTraced ? [...this.#waiting.values()] : []
  }
}

/** A node without a list of alternatives. */
const none: Alternatives = { list: [], isFirst: true }

/** The nodes of a trial: those of the flowline, watched, with inputs and outputs replaced. */
export const trialTypes = (trial: TrialCase, recorder: TrialRecorder) => {
  const { first } = trial

  /** Records what a node emits. Returns the node's `emit`, and the time that was spent in the nodes after it. */
  const watched = (node: DagNode, type: NodeType, component: string, emit: Emit) => {
    const streams = node.publish.map(({ stream }) => stream)
    const free = streams.filter((stream) => !type.outputs.includes(stream))
    const outside = { millis: 0 }
    const send: Emit = async (stream, batch) => {
      if (batch.length === 0) return
      const names = stream === chosen ? free : stream === errors || streams.includes(stream) ? [stream] : []
      for (const name of names) recorder.published(component, name, batch)
      if (names.length > 0 && stream !== errors) recorder.sent(component, batch.length)
      const began = performance.now()
      await emit(stream, batch)
      outside.millis += performance.now() - began
    }
    return { send, outside }
  }

  const told = (context: NodeContext): NodeContext => ({
    ...context,
    publishesErrors: () => true,
    reject: (count, reason) => {
      recorder.lost(context.component, count, reason)
      context.reject(count, reason)
    }
  })

  /** Lets the first records pass, then stops the input, which closes what it has open. */
  const limited = (component: string, emit: Emit, stop: AbortController): Emit => {
    let left = first
    return async (stream, batch) => {
      if (batch.length === 0) return
      const some = batch.slice(0, left)
      left -= some.length
      if (some.length > 0) await emit(stream, some)
      // The whole batch was needed, so the input may be at its end anyway.
      if (some.length === batch.length) return
      recorder.more(component)
      stop.abort(enough)
      throw enough
    }
  }

  const input = (type: NodeType, node: DagNode): NodeType => ({
    ...type,
    start: async (settings, given) => {
      const context = told(given)
      const { component } = context
      const sample = sampleOf(trial, component)
      if (sample !== undefined) {
        const run = async (emit: Emit) => {
          const { send, outside } = watched(node, type, component, emit)
          const began = performance.now()
          await emitSample(type, settings, context, sample, send)
          recorder.took(component, performance.now() - began - outside.millis)
        }
        return { run }
      }
      if (first === 0 || type.isLive === true) return { run: async () => {} }
      const stop = new AbortController()
      const real = await type.start(settings, {
        ...context,
        signal: AbortSignal.any([context.signal, stop.signal])
      })
      const run = async (emit: Emit) => {
        const { send, outside } = watched(node, type, component, emit)
        const began = performance.now()
        const late = Promise.withResolvers<void>()
        const timer = setTimeout(late.resolve, inputMillis)
        try {
          await Promise.race([real.run?.(limited(component, send, stop)), late.promise])
        } catch (error) {
          if (!stop.signal.aborted) throw error
        } finally {
          clearTimeout(timer)
          stop.abort(enough)
        }
        recorder.took(component, performance.now() - began - outside.millis)
      }
      return { run }
    }
  })

  const processing = (type: NodeType, node: DagNode): NodeType => ({
    ...type,
    start: async (settings, given) => {
      const { component } = given
      const records = new TracedRecords()
      let spent = 0
      const watch = (emit: Emit) =>
        watched(node, type, component, (stream, batch) => {
          records.sent(batch)
          return emit(stream, batch)
        })
      const timed = async (emit: Emit, step: (emit: Emit) => void | Promise<void>) => {
        const { send, outside } = watch(emit)
        const began = performance.now()
        await step(send)
        spent += performance.now() - began - outside.millis
      }
      const context = { ...told(given), emit: watch(given.emit).send }
      const began = performance.now()
      const real = await type.start(settings, context)
      // The time for what it loads once, such as a table, is the node's own.
      if (catalogue.has(type.type)) recorder.took(component, performance.now() - began)
      const alternatives = new Fitting(type.alternatives?.(settings, context) ?? none, context)
      const instance: Instance = {
        ...real,
        process: async (batch, emit) => {
          recorder.received(component, batch.length)
          alternatives.see(batch)
          const traced = records.received(component, batch)
          await timed(emit, (send) => real.process?.(traced, send))
        },
        end: async (emit) => {
          await timed(emit, (send) => real.end?.(send))
          // Nodes of other processes tell their time themselves.
          if (catalogue.has(type.type)) recorder.took(component, spent)
          const { dropped } = records
          if (dropped.length > 0) recorder.dropped(component, dropped)
          if (alternatives.unmatched !== undefined) recorder.unmatched(component, alternatives.unmatched)
        }
      }
      return instance
    }
  })

  /** Takes records and does nothing with them. */
  const output = (type: NodeType): NodeType => {
    const { text: _, target: __, rowEncoding: ___, identifies: ____, ...rest } = type
    return {
      ...rest,
      start: (_, { component }) => ({ process: (batch) => recorder.received(component, batch.length) })
    }
  }

  return (type: NodeType, node: DagNode): NodeType =>
    type.kind === "input" ? input(type, node) : type.kind === "output" ? output(type) : processing(type, node)
}

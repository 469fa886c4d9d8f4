import * as Predicate from "effect/Predicate"
import type { QuickJSContext, QuickJSHandle, QuickJSRuntime, QuickJSWASMModule } from "quickjs-emscripten"
import type { Guest, GuestLimits } from "./Guest.ts"
import type { Host } from "./guest/harness.ts"
import { keep } from "./guest/keep.ts"
import type { Outcome, ScriptFault } from "./Outcome.ts"
import { prelude } from "./Prelude.ts"
import { file, type Program, type Purpose, readProgram } from "./Program.ts"

/** Why a program cannot be used. */
export class ProgramRefused extends Error {
  readonly fault: ScriptFault
  constructor(fault: ScriptFault) {
    super(fault.message)
    this.fault = fault
  }
}

/**
 * Limits of a batch of events that is copied into the sandbox: their number and the length of their text. The text
 * takes memory of the sandbox, and events that a turn does not reach are parsed again in the next turn; on a busy
 * machine that may be all but one.
 */
const crossingEvents = 500
const crossingLength = 128 * 1024
/** Milliseconds that a program may take before its first event. */
const startMillis = 1000
/**
 * Maximum age of a reading of the program's clock: reading the processor time takes longer than processing a small
 * event.
 */
const readMillis = 1

const faultOf = (context: QuickJSContext, error: QuickJSHandle): ScriptFault => {
  const dumped: unknown = context.dump(error)
  error.dispose()
  if (!Predicate.isObjectOrArray(dumped)) return { message: `thrown: ${String(dumped)}` }
  const { name, message, stack } = dumped as Partial<Record<"name" | "message" | "stack", unknown>>
  const [, line, column] = new RegExp(`${file}:(\\d+)(?::(\\d+))?`).exec(String(stack)) ?? []
  return {
    message: `${name ?? "Error"}: ${message ?? ""}`,
    ...(line === undefined ? {} : { line: Number(line) }),
    ...(column === undefined ? {} : { column: Number(column) })
  }
}

/** Prepares a program without running it. */
export const read = (runtime: QuickJSRuntime, text: string, purpose: Purpose): Program => {
  const context = runtime.newContext()
  const program = readProgram(
    text,
    (script) => {
      const result = context.evalCode(script, file, { compileOnly: true })
      if (result.error !== undefined) return faultOf(context, result.error)
      result.value.dispose()
      return undefined
    },
    purpose
  )
  context.dispose()
  if ("message" in program) throw new ProgramRefused(program)
  return program
}

/** The JSON texts of the next events. */
const crossing = (events: ReadonlyArray<unknown>, from: number): ReadonlyArray<string> => {
  const texts: Array<string> = []
  let length = 0
  for (let index = from; index < events.length && texts.length < crossingEvents && length < crossingLength; index++) {
    try {
      const text = JSON.stringify(events[index])
      texts.push(text)
      length += text.length
    } catch (error) {
      // The event is nested too deeply. The events before it are processed first; then this one fails.
      if (texts.length === 0) throw error
      break
    }
  }
  return texts
}

export interface SandboxOptions {
  readonly purpose: Purpose
  readonly limits: GuestLimits
  /** Measures a program's time in milliseconds. */
  readonly clock: () => number
}

/** A running program with its own runtime and context. */
export class Sandbox implements Guest {
  readonly #context: QuickJSContext
  readonly #run: QuickJSHandle
  readonly #collect: QuickJSHandle
  readonly #process: QuickJSHandle
  readonly #locate: Program["locate"]
  readonly #clock: () => number
  #deadline = 0
  #readAt = 0
  #millis = 0
  #until = 0
  /**
   * The number of events of this run that were processed in earlier batches, and the start time of each event in the
   * current batch.
   */
  #crossed = 0
  #began: Array<number> = []

  constructor(module: QuickJSWASMModule, text: string, match: Host["match"], options: SandboxOptions) {
    const { clock, limits, purpose } = options
    this.#clock = clock
    const runtime = module.newRuntime()
    runtime.setMemoryLimit(limits.memoryBytes)
    runtime.setMaxStackSize(limits.stackBytes)
    runtime.setInterruptHandler(() => clock() > this.#deadline)
    this.#deadline = clock() + startMillis
    const program = read(runtime, text, purpose)
    this.#locate = program.locate
    const context = runtime.newContext()
    this.#context = context
    const host = context.newObject()
    this.#give(host, "mark", (index) => (this.#mark(context.getNumber(index!)) ? context.true : context.false))
    this.#give(host, "match", (...handles) => {
      const [kind, pattern = "", sample = "", more = ""] = handles.map((handle) => context.getString(handle))
      return context.newString(match(kind === "grok" ? "grok" : "dissect", pattern, sample, more))
    })
    const make = this.#evaluate(prelude, "prelude.js")
    const name = context.newString(file)
    const harness = this.#unwrap(context.callFunction(make, context.undefined, host, name))
    this.#run = context.getProp(harness, "run")
    this.#collect = context.getProp(harness, "collect")
    for (const handle of [host, make, name, harness]) handle.dispose()
    const wrap = purpose === "filter" ? this.#evaluate(`(${keep})`, "prelude.js") : undefined
    let value = context.undefined
    for (const [name, script] of program.scripts) {
      value.dispose()
      value = this.#evaluate(script, name)
    }
    this.#process = wrap === undefined ? value : this.#unwrap(context.callFunction(wrap, context.undefined, value))
  }

  run(events: ReadonlyArray<unknown>, millis: number, until: number): ReadonlyArray<Outcome> {
    const outcomes: Array<Outcome> = []
    this.#millis = millis
    this.#until = until
    for (;;) {
      this.#crossed = outcomes.length
      this.#began = []
      if (this.#crossed >= events.length || performance.now() >= until) return outcomes
      const made = this.#cross(crossing(events, this.#crossed))
      for (const outcome of made) outcomes.push(outcome)
      if (made.length === 0) return outcomes
    }
  }

  at(): number {
    return this.#crossed + Math.max(0, this.#began.length - 1)
  }

  isLate(): boolean {
    return this.#clock() > this.#deadline
  }

  #cross(events: ReadonlyArray<string>): ReadonlyArray<Outcome> {
    const context = this.#context
    const text = context.newString(`[${events.join(",")}]`)
    this.#readAt = performance.now()
    this.#deadline = this.#clock() + this.#millis + readMillis
    const ran = context.callFunction(this.#run, context.undefined, this.#process, text)
    text.dispose()
    const fault = ran.error === undefined ? ran.value.dispose() : faultOf(context, ran.error)
    this.#deadline = Number.POSITIVE_INFINITY
    const collected = this.#unwrap(context.callFunction(this.#collect, context.undefined))
    const made: ReadonlyArray<Outcome> = JSON.parse(context.getString(collected))
    collected.dispose()
    const outcomes = made.map((outcome, index) => this.#timed(this.#located(outcome), index))
    if (fault === undefined) return outcomes
    // One of the events cannot be parsed: pass the first one alone to find out which.
    if (this.#began.length === 0 && events.length > 1) return this.#cross(events.slice(0, 1))
    const last: Outcome = fault.message.includes("interrupted") ? { timeout: true } : { error: this.#locate(fault) }
    return [...outcomes, this.#timed(last, outcomes.length)]
  }

  #located(outcome: Outcome): Outcome {
    return outcome.error === undefined ? outcome : { ...outcome, error: this.#locate(outcome.error) }
  }

  #timed(outcome: Outcome, index: number): Outcome {
    const began = this.#began[index] ?? 0
    const ended = this.#began[index + 1] ?? performance.now()
    return { ...outcome, micros: Math.round((ended - began) * 1000) }
  }

  #mark(index: number): boolean {
    const now = performance.now()
    // The mark after the last event only tells when that event ended.
    this.#began[index] = now
    if (now - this.#readAt >= readMillis) {
      this.#readAt = now
      this.#deadline = this.#clock() + this.#millis + readMillis
    }
    return index > 0 && now >= this.#until
  }

  #give(host: QuickJSHandle, name: string, call: (...handles: ReadonlyArray<QuickJSHandle>) => QuickJSHandle): void {
    const handle = this.#context.newFunction(name, call)
    this.#context.setProp(host, name, handle)
    handle.dispose()
  }

  #evaluate(script: string, name: string): QuickJSHandle {
    return this.#unwrap(this.#context.evalCode(script, name))
  }

  #unwrap(result: ReturnType<QuickJSContext["evalCode"]>): QuickJSHandle {
    if (result.error !== undefined) throw new ProgramRefused(this.#locate(faultOf(this.#context, result.error)))
    return result.value
  }
}

import { Effect, Result, Schema } from "effect"
import type { Guest } from "../../languages/flowlet/Guest.ts"
import { matching } from "../../languages/flowlet/Matching.ts"
import type { Outcome } from "../../languages/flowlet/Outcome.ts"
import type { Purpose } from "../../languages/flowlet/Program.ts"
import { open } from "../../languages/flowlet/ProgramSandbox.ts"
import type { Batch, CheckContext, Event, NodeContext, SettingsIssue } from "../Node.ts"

/** The setting for how long a program may take. */
export const timeoutMillis = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 60_000 }))
  .annotate({ description: "Processor time in milliseconds that the program may take for one event.", default: 200 })
  .pipe(Schema.withDecodingDefaultKey(Effect.succeed(200)))

/**
 * Whether a program may remember something from one event to the next: only one that declares `process` itself has
 * variables outside of it. In doubt it may.
 */
export const mayKeepState = (code: string): boolean => /process|\\u/.test(code)

/** What is wrong with a program that stands in the setting `code`. */
export const codeFaults = (
  code: string | undefined,
  purpose: Purpose,
  { programFault }: CheckContext
): ReadonlyArray<SettingsIssue> => {
  const fault = code === undefined ? undefined : programFault(code, purpose)
  if (fault === undefined) return []
  const { message, ...position } = fault
  return [{ path: ["code"], detail: message, ...position }]
}

export interface ProgramOptions {
  readonly text: string
  readonly purpose: Purpose
  /** For one event. */
  readonly millis: number
  /** Pattern definitions for the program's `grok`, besides the tenant's. */
  readonly definitions: string
  readonly ecsCompatibility: "disabled" | "v1"
}

/** What became of an event: an outcome, or the reason why there is none. */
export type Taken = (event: Event, outcome: Outcome, failure: string | undefined) => void | Promise<void>

/** Why a sandbox is of no more use, and whether the program was it rather than a busy machine. */
interface Broken {
  readonly why: string
  readonly isGuilty: boolean
}

/** How long a batch of slow events keeps everything else in the process waiting. */
const breathMillis = 50
const breath = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/**
 * A program of a node at work. An event that breaks its sandbox fails alone; the program then starts anew behind it.
 */
export class Program {
  readonly #options: ProgramOptions
  readonly #context: NodeContext
  #guest: Guest

  static async start(options: ProgramOptions, context: NodeContext): Promise<Program> {
    return new Program(options, context, await guestOf(options, context))
  }

  private constructor(options: ProgramOptions, context: NodeContext, guest: Guest) {
    this.#options = options
    this.#context = context
    this.#guest = guest
  }

  /** Runs the program on every event of the batch, in order. */
  async run(batch: Batch, take: Taken): Promise<void> {
    let doomed = -1
    let why = ""
    let spared = 0
    for (let next = 0; next < batch.length; ) {
      if (next === doomed) {
        await take(batch[next++]!, {}, why)
        continue
      }
      const outcomes = this.#turn(batch.slice(next, doomed > next ? doomed : batch.length), 2 ** spared)
      if ("why" in outcomes) {
        // The events before the guilty one run once more, in a new sandbox; that one too, if others had the processor.
        const { isGuilty } = outcomes
        why = outcomes.why
        spared = isGuilty ? 0 : spared + 1
        if (isGuilty) doomed = next + this.#guest.at()
        this.#guest = await guestOf(this.#options, this.#context)
      } else {
        spared = 0
        for (const outcome of outcomes) {
          await take(batch[next++]!, outcome, failureOf(outcome, this.#options.millis))
          if (outcome.printed !== undefined) await this.#context.print(outcome.printed)
        }
      }
      if (next < batch.length) await breath()
    }
  }

  /** The outcomes of the first events, or why the sandbox is of no more use. `patience` is 1 at the first try. */
  #turn(events: Batch, patience: number): ReadonlyArray<Outcome> | Broken {
    const { millis } = this.#options
    let outcomes: ReadonlyArray<Outcome> = []
    const step = () => {
      outcomes = this.#guest.run(events, millis, performance.now() + breathMillis)
    }
    try {
      const { guard } = this.#context
      if (guard === undefined) step()
      else {
        // The sandbox stops loops by itself; this is for what it cannot see, such as a loop inside of a built-in
        // function.
        if (!guard.within((breathMillis + millis * 10) * patience, step)) {
          return { why: late(millis), isGuilty: this.#guest.isLate() }
        }
      }
    } catch {
      return { why: "the program outgrew the stack or the memory of its sandbox", isGuilty: true }
    }
    return outcomes
  }
}

const guestOf = async (options: ProgramOptions, { patterns, guard }: NodeContext): Promise<Guest> => {
  const { text, purpose, definitions, ecsCompatibility } = options
  const guest = await open(text, matching(definitions, ecsCompatibility, patterns), {
    purpose,
    clock: guard?.processorMillis,
    within: guard?.within
  })
  if (Result.isSuccess(guest)) return guest.success
  const { message, line, column } = guest.failure
  throw new Error(`${message}${line === undefined ? "" : ` at ${line}:${column ?? 1} of the program`}`)
}

const late = (millis: number): string => `the program was not finished after ${millis} ms`

const failureOf = ({ error, timeout }: Outcome, millis: number): string | undefined => {
  if (timeout) return late(millis)
  if (error === undefined) return undefined
  return error.line === undefined ? error.message : `${error.message} at ${error.line}:${error.column ?? 1}`
}

import { Result, Schema } from "effect"
import type { Guest } from "../../languages/flowlet/Guest.ts"
import { matching } from "../../languages/flowlet/Matching.ts"
import type { Outcome } from "../../languages/flowlet/Outcome.ts"
import type { Purpose } from "../../languages/flowlet/Program.ts"
import { open } from "../../languages/flowlet/ProgramSandbox.ts"
import type { Batch, CheckContext, Event, NodeContext, SettingsIssue } from "../Node.ts"
import { withDefault } from "../settings/SettingsSchema.ts"

/** The setting for the time limit of a program. */
export const timeoutMillis = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 60_000 })).pipe(
  withDefault(200, "Processor time in milliseconds that the program may take for one event.")
)

/**
 * Whether a program may keep state between events: only a program that declares `process` itself can have variables
 * outside of it. True in case of doubt.
 */
export const mayKeepState = (code: string): boolean => /process|\\u/.test(code)

/** The faults of the program in the setting `code`. */
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

interface ProgramOptions {
  readonly text: string
  readonly purpose: Purpose
  /** Time limit per event. */
  readonly millis: number
  /** Pattern definitions for the program's `grok`, besides the tenant's. */
  readonly definitions: string
  readonly ecsCompatibility: "disabled" | "v1"
}

/** Receives the outcome of an event, or the reason why it failed. */
type OutcomeHandler = (event: Event, outcome: Outcome, failure: string | undefined) => void | Promise<void>

/** Why a sandbox is unusable, and whether the program is to blame rather than a busy machine. */
interface Broken {
  readonly why: string
  readonly isGuilty: boolean
}

/** Maximum time that a batch may block the process, in milliseconds. */
const breathMillis = 50
const breath = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** Runs the program of a node. An event that breaks its sandbox fails alone; the program restarts after it. */
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
  async run(batch: Batch, take: OutcomeHandler): Promise<void> {
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
        // The earlier events run again in a new sandbox, and so does the interrupted one if only the machine was busy.
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

  /**
   * Runs the program on events until the time is used up. Returns the outcomes, or why the sandbox is unusable.
   * `patience` multiplies the time limit.
   */
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
        // The sandbox stops loops itself; the guard is for what it cannot interrupt, such as a loop inside a built-in
        // function.
        if (!guard.within((breathMillis + millis * 10) * patience, step)) {
          return { why: late(millis), isGuilty: this.#guest.isLate() }
        }
      }
    } catch {
      return { why: "the program exceeded the stack or the memory of its sandbox", isGuilty: true }
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

const late = (millis: number): string => `the program did not finish within ${millis} ms`

const failureOf = ({ error, timeout }: Outcome, millis: number): string | undefined => {
  if (timeout) return late(millis)
  if (error === undefined) return undefined
  return error.line === undefined ? error.message : `${error.message} at ${error.line}:${error.column ?? 1}`
}

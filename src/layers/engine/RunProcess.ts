import { rm } from "node:fs/promises"
import { setTimeout as sleep } from "node:timers/promises"
import { isolationFailed, isolationRefusal } from "../../drivers/isolation/PythonStart.ts"
import { ownSilence, ownSilenceSeen } from "../../protocol/Liveness.ts"
import { Masking } from "../../protocol/Masking.ts"
import { type Order, type RunMessage, secretsIn } from "../../protocol/RunProtocol.ts"
import type { Child, Exit } from "./Child.ts"
import type { EngineSettings } from "./EngineConfig.ts"
import { Messages } from "./MessageReader.ts"
import { removeUnfinished } from "./RunFolders.ts"
import { placesOf } from "./RunLauncher.ts"
import { type Runners, readinessOf } from "./Runners.ts"

const mib = 1024 * 1024
/**
 * Milliseconds until a start is repeated for which files, processes or memory were missing: at first, and at most. Runs
 * that are all started at once take from each other what there is, so the pauses grow, and differ.
 */
const startPause = { first: 250, longest: 8000 }
/**
 * Milliseconds between two checks of a run: it can allocate a GiB in this time, and reading `/proc` costs about 0.2 ms.
 */
const watchMillis = process.platform === "linux" ? 200 : 1000

/** Logs details for operators that users do not see. */
export type Warn = (message: string, details: Record<string, string>) => void

const couldNotStart = (lack: string): string => `The process of the run could not be started: ${lack}`

/** A run as seen by its parent: the child, its limits and its messages. */
export class RunProcess {
  readonly #runners: Runners
  readonly #settings: EngineSettings
  readonly #warn: Warn
  readonly #order: Order
  readonly #memoryMib: number
  readonly #memoryBytes: number
  readonly #timeoutSeconds: number
  readonly #lifeSigns: boolean
  readonly #tempRoot: string
  readonly #memoryKills: number | undefined
  /** Times when this process last ran its check, and when it last found that it had been stalled for too long. */
  #lookedAt = performance.now()
  #silentUntil = Number.NEGATIVE_INFINITY
  #deadline: number
  /** Until when the child has to send its first message (`performance.now()`). */
  #startUntil: number
  #child: Child
  #messages: Messages
  #mayRetry: boolean
  #pause = startPause.first
  /** What the last child has lacked to begin. */
  #lacked: string | undefined
  /** Whether the run waits until its last messages have been handled. */
  #publishing = false
  #ended = false
  /** Why the child was killed, as a message for the user. */
  #killedFor: string | undefined
  #watch: NodeJS.Timeout | undefined

  constructor(runners: Runners, settings: EngineSettings, order: Order, warn: Warn) {
    const { spec } = order
    const limits = spec.flowline.settings
    this.#runners = runners
    this.#settings = settings
    this.#warn = warn
    this.#order = order
    this.#lifeSigns = settings.lifeSigns !== undefined
    this.#tempRoot = settings.tempRoot
    this.#memoryKills = settings.memoryKills()
    this.#memoryMib = order.memoryMib
    this.#memoryBytes = (this.#memoryMib + settings.memoryAllowanceMib) * mib
    this.#timeoutSeconds =
      limits.timeout_seconds ?? (spec.lasting === true ? Number.POSITIVE_INFINITY : settings.timeoutSeconds)
    const { child, warm } = runners.take(this.#memoryMib, readinessOf(spec.flowline))
    this.#startUntil = performance.now() + (warm ? settings.answerMillis : settings.startMillis)
    this.#deadline = this.#startUntil + this.#timeoutSeconds * 1000
    this.#mayRetry = warm
    this.#child = child
    this.#messages = new Messages(child.messages)
    this.#begin(child)
    this.#watch = setInterval(() => void this.#check(), watchMillis)
  }

  /** Gives the order to a child, after opening the run's folders to it. */
  #begin(child: Child): void {
    if (!child.hasDoor) {
      child.order(this.#order)
      return
    }
    void child.admit(placesOf(this.#order, this.#tempRoot)).then((answer) => {
      if (answer === "ok") child.order(this.#order)
      else if (answer !== "" && child.alive && !this.#ended) {
        const { executionId, tenant } = this.#order.spec
        this.#warn("A run could not be given its files", { tenant, executionId, reason: answer })
        // Without the paths of this machine.
        this.#kill(`The run could not be given its files: ${answer.split(": ").at(-1)}`)
      }
    })
  }

  #look(): void {
    const now = performance.now()
    if (now - this.#lookedAt > ownSilence) {
      this.#silentUntil = now
      // The child may have been frozen together with this process.
      this.#startUntil += now - this.#lookedAt
    }
    this.#lookedAt = now
  }

  async #check(): Promise<void> {
    this.#look()
    if (this.#killedFor === undefined && performance.now() > this.#deadline) {
      this.#killedFor = `The run was stopped at its time limit of ${this.#timeoutSeconds} seconds`
      this.#child.terminate()
    }
    if (this.#child.alive && !this.#messages.begun && performance.now() > this.#startUntil) this.#notStarted()
    if ((await this.#child.residentBytes()) > this.#memoryBytes) this.#kill(this.#outOfMemory())
  }

  /** Frozen, or waiting for a folder that does not answer. A warm child is replaced: `next` sees its end. */
  #notStarted(): void {
    const late = `The process of the run did not start within ${this.#settings.startMillis / 1000} seconds`
    if (this.#mayRetry) this.#child.kill()
    else this.#kill(this.#lacked === undefined ? late : couldNotStart(this.#lacked))
  }

  #outOfMemory(): string {
    return `The run was stopped at its memory limit of ${this.#memoryMib} MiB`
  }

  #kill(reason: string): void {
    this.#killedFor ??= reason
    this.#child.kill()
  }

  /** The next messages, or undefined after the end. `Ended` is returned when no process of the run is left. */
  async next(): Promise<ReadonlyArray<RunMessage> | undefined> {
    if (this.#ended) return undefined
    if (this.#publishing) this.#child.mayPublish()
    this.#publishing = false
    const messages = await this.#messages.next().catch(() => {
      this.#kill("The run sent an invalid message")
      return undefined
    })
    if (messages !== undefined) {
      // The time to start the process does not count.
      if (messages[0]?._tag === "Started") this.#deadline = performance.now() + this.#timeoutSeconds * 1000
      this.#mayRetry = false
      this.#publishing = messages.some((message) => message._tag === "Publishing")
      const last = messages.findIndex((message) => message._tag === "Ended")
      if (last === -1) return messages
      await this.#end()
      return [...messages.slice(0, last), this.#told(messages[last]!)]
    }
    const exit = await this.#child.exited
    if (this.#ended) return undefined
    if (this.#killedFor === undefined) {
      this.#lacked = this.#messages.begun ? undefined : this.#child.lack
      const isLacking = this.#lacked !== undefined && performance.now() < this.#startUntil
      if (isLacking) await sleep(this.#pause * (0.5 + Math.random()))
      if (isLacking || this.#mayRetry) return this.#retry()
    }
    await this.#end()
    const end = { _tag: "Ended", outcome: "failed", at: Date.now() } as const
    if (this.#wasAbandoned(exit)) return [{ ...end, error: "The gateway was silent for too long", abandoned: true }]
    return [{ ...end, error: this.#reason(exit) }]
  }

  /** There was no child, or the warm one died before the run began, so the run starts again in a new one. */
  async #retry(): Promise<ReadonlyArray<RunMessage> | undefined> {
    if (this.#mayRetry) {
      this.#startUntil = performance.now() + this.#settings.startMillis
      this.#deadline = this.#startUntil + this.#timeoutSeconds * 1000
    }
    this.#mayRetry = false
    this.#pause = Math.min(this.#pause * 2, startPause.longest)
    await this.#child.stop(false)
    if (this.#ended) return undefined
    this.#child = this.#runners.fresh(this.#memoryMib)
    this.#messages = new Messages(this.#child.messages)
    this.#begin(this.#child)
    return this.next()
  }

  /**
   * A failure that results from stopping the run is replaced by the reason for stopping it, and that of a killed Python
   * process is explained.
   */
  #told(message: RunMessage): RunMessage {
    if (message._tag !== "Ended" || message.outcome === "succeeded") return message
    if (this.#killedFor !== undefined)
      return { _tag: "Ended", outcome: "failed", error: this.#killedFor, at: message.at }
    return message.error === undefined ? message : { ...message, error: this.#explained(message.error) }
  }

  /** Says so if the system has killed processes for lack of memory since the run began. */
  #explained(error: string): string {
    const kills = this.#settings.memoryKills()
    const isKilled = error.includes("SIGKILL") && kills !== undefined && kills > (this.#memoryKills ?? kills)
    if (!isKilled) return error
    return `${error}: Linux killed it, because the memory of the machine or of the gateway's container ran out`
  }

  /** Whether the run ended itself because this process was stalled: frozen, or without processor time for seconds. */
  #wasAbandoned(exit: Exit): boolean {
    this.#look()
    const silent = performance.now() - this.#silentUntil < ownSilenceSeen
    return this.#lifeSigns && silent && exit.signal === "SIGKILL" && this.#killedFor === undefined
  }

  #reason(exit: Exit): string {
    if (this.#killedFor !== undefined) return this.#killedFor
    if (/heap out of memory|Zone Allocation failed|ERR_WORKER_OUT_OF_MEMORY/.test(exit.tail)) return this.#outOfMemory()
    const { executionId, tenant } = this.#order.spec
    const how = exit.signal ?? `code ${exit.code}`
    const masking = new Masking(Object.values(secretsIn(this.#order.spec)))
    const tail = masking.text(Buffer.from(exit.tail, "latin1").toString()).slice(-2000)
    this.#warn("The process of a run ended unexpectedly", { tenant, executionId, how, tail })
    if (this.#lacked !== undefined) return couldNotStart(this.#lacked)
    if (this.#child.pid === undefined) return "The process of the run could not be started"
    const refusal = exit.code === isolationFailed ? isolationRefusal(exit.tail) : undefined
    if (refusal !== undefined) return `The process of the run could not be isolated: ${refusal}`
    return this.#explained(`The process of the run ended unexpectedly (${how})`)
  }

  async #end(): Promise<void> {
    this.#ended = true
    clearInterval(this.#watch)
    await this.#child.stop(false)
    await this.#sweep()
  }

  /** Ends the run in any state, and waits until no process of it is left. */
  async cancel(): Promise<void> {
    this.#ended = true
    clearInterval(this.#watch)
    await this.#child.stop(true)
    await this.#sweep()
  }

  async #sweep(): Promise<void> {
    const { unfinished, scratch, roots } = this.#order
    const written = Object.values(roots).filter(({ writable }) => writable)
    await Promise.allSettled([
      ...[unfinished, scratch].map((folder) => rm(folder, { recursive: true, force: true })),
      ...written.map((root) => removeUnfinished(root, this.#order))
    ])
  }
}

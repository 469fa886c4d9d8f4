import { Effect, Result, Schema } from "effect"
import { open } from "../operators/flowlet/Engine.ts"
import type { Guest } from "../operators/flowlet/Guest.ts"
import { matching } from "../operators/flowlet/Matching.ts"
import type { Outcome } from "../operators/flowlet/Outcome.ts"
import { Failures } from "./Failures.ts"
import { type Batch, chosen, type Emit, type Event, errors, type NodeContext, node } from "./Node.ts"
import { relativePath } from "./Paths.ts"

const settings = Schema.Struct({
  code: Schema.optionalKey(
    Schema.String.annotate({
      description:
        "The program: JavaScript with `function process(event)`, which returns the event, an array of events, or " +
        "nothing to drop it. Without such a function the text is its body."
    })
  ),
  file: Schema.optionalKey(
    relativePath("Path of the program in the tenant's configuration folder, in place of `code`.")
  ),
  definitions: Schema.optionalKey(
    Schema.String.annotate({ description: "Pattern definitions for the program's `grok`, `NAME regex` on each line." })
  ),
  ecs_compatibility: Schema.Literals(["disabled", "v1"])
    .annotate({ description: "Field names of the patterns that the program's `grok` knows.", default: "disabled" })
    .pipe(Schema.withDecodingDefaultKey(Effect.succeed("disabled" as const))),
  timeout_millis: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 60_000 }))
    .annotate({ description: "Milliseconds that the program may take for one event.", default: 200 })
    .pipe(Schema.withDecodingDefaultKey(Effect.succeed(200)))
})

export type FlowletSettings = typeof settings.Type

/** Records of one batch at most: a program may return many for one. */
const batchRecords = 1000
/** How long a batch of slow events keeps everything else in the process waiting. */
const breathMillis = 50
const breath = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

export const flowlet = node({
  type: "flowlet",
  kind: "processing",
  description: "Runs a JavaScript program on every record, in a sandbox without clock, files and network.",
  runtimes: ["stream"],
  settings,
  inputs: { min: 1, max: 100 },
  outputs: [chosen, errors],
  example: { code: "event.level = event.response >= 500 ? 'error' : 'info'" },
  start: async (settings, context) => {
    const text = settings.code ?? (await textOf(settings.file ?? "", context))
    const { timeout_millis: millis, definitions = "", ecs_compatibility } = settings
    const start = async (): Promise<Guest> => {
      const guest = await open(text, matching(definitions, ecs_compatibility, context.patterns))
      if (Result.isSuccess(guest)) return guest.success
      const { message, line, column } = guest.failure
      throw new Error(`${message}${line === undefined ? "" : ` at ${line}:${column ?? 1} of the program`}`)
    }
    let guest = await start()
    const failures = new Failures(context)
    let made: Array<Event> = []
    const send = async (emit: Emit) => {
      const events = made
      made = []
      if (events.length > 0) await emit(chosen, events)
    }
    const take = async (event: Event, outcome: Outcome, emit: Emit) => {
      const reason = reasonOf(outcome, millis)
      if (reason !== undefined) failures.add(event, reason)
      for (const output of [outcome.output ?? []].flat()) {
        made.push(output)
        if (made.length >= batchRecords) await send(emit)
      }
      if (outcome.printed !== undefined) await context.print(outcome.printed)
    }

    /** Undefined when the sandbox broke; the events before the guilty one then run once more, in a new one. */
    const run = (events: Batch) => {
      try {
        return guest.run(events, millis, performance.now() + breathMillis)
      } catch {
        return undefined
      }
    }

    return {
      process: async (batch, emit) => {
        let doomed = -1
        for (let next = 0; next < batch.length; ) {
          if (next === doomed) {
            failures.add(batch[next++]!, "the program outgrew the stack or the memory of its sandbox")
            continue
          }
          const outcomes = run(batch.slice(next, doomed > next ? doomed : batch.length))
          if (outcomes === undefined) {
            doomed = next + guest.at()
            guest = await start()
          } else for (const outcome of outcomes) await take(batch[next++]!, outcome, emit)
          if (next < batch.length) await breath()
        }
        await send(emit)
        await failures.send(emit)
      }
    }
  }
})

const reasonOf = ({ error, timeout }: Outcome, millis: number): string | undefined => {
  if (timeout) return `the program was not finished after ${millis} ms`
  if (error === undefined) return undefined
  return error.line === undefined ? error.message : `${error.message} at ${error.line}:${error.column ?? 1}`
}

const textOf = async (path: string, context: NodeContext): Promise<string> => {
  const decoder = new TextDecoder("utf-8", { fatal: true })
  let text = ""
  for await (const chunk of context.read(path)) text += decoder.decode(chunk, { stream: true })
  return text + decoder.decode()
}

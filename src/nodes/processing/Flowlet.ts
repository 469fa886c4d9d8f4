import { Schema } from "effect"
import { chosen, type Emit, type Event, errors, type NodeContext, node } from "../Node.ts"
import { batchRecords } from "../records/BatchSize.ts"
import { Failures } from "../records/Failures.ts"
import { withSourceOf } from "../records/Source.ts"
import { relativePath } from "../settings/Paths.ts"
import { withDefault } from "../settings/SettingsSchema.ts"
import { codeFaults, mayKeepState, Program, timeoutMillis } from "./ProgramRunner.ts"

const settings = Schema.Struct({
  code: Schema.optionalKey(
    Schema.String.annotate({
      description:
        "The program: JavaScript with `function process(event)`, which returns the event, an array of events, or " +
        "nothing to drop it. Without such a function, the text is its body."
    })
  ),
  file: Schema.optionalKey(relativePath("Path of the program in the tenant's configuration folder. Replaces `code`.")),
  definitions: Schema.optionalKey(
    Schema.String.annotate({ description: "Pattern definitions for the program's `grok`, one `NAME regex` per line." })
  ),
  ecs_compatibility: Schema.Literals(["disabled", "v1"]).pipe(
    withDefault("disabled", "Field names of the built-in patterns for the program's `grok`.")
  ),
  timeout_millis: timeoutMillis
})

export const flowlet = node({
  type: "flowlet",
  kind: "processing",
  description: "Runs a JavaScript program on every record, in a sandbox without clock, files or network.",
  runtimes: ["stream"],
  settings,
  inputs: { min: 1, max: 100 },
  outputs: [chosen, errors],
  needs: ["patterns"],
  isStateless: ({ code }) => code !== undefined && !mayKeepState(code),
  example: { code: "event.level = event.response >= 500 ? 'error' : 'info'" },
  check: ({ code, file }, context) =>
    (code === undefined) === (file === undefined)
      ? [{ path: [], detail: "expected either code or file" }]
      : codeFaults(code, "flowlet", context),
  start: async (settings, context) => {
    const text = settings.code ?? (await textOf(settings.file ?? "", context))
    const { timeout_millis: millis, definitions = "", ecs_compatibility: ecsCompatibility } = settings
    const options = { text, purpose: "flowlet" as const, millis, definitions, ecsCompatibility }
    const program = await Program.start(options, context)
    const failures = new Failures(context)
    let made: Array<Event> = []
    const send = async (emit: Emit) => {
      const events = made
      made = []
      if (events.length > 0) await emit(chosen, events)
    }
    return {
      process: async (batch, emit) => {
        await program.run(batch, async (event, { output = [] }, failure) => {
          if (failure !== undefined) failures.add(event, failure)
          for (const one of [output].flat()) {
            made.push(withSourceOf(event, one))
            if (made.length >= batchRecords) await send(emit)
          }
        })
        await send(emit)
        await failures.send(emit)
      }
    }
  }
})

const textOf = async (path: string, context: NodeContext): Promise<string> => {
  const decoder = new TextDecoder("utf-8", { fatal: true })
  let text = ""
  for await (const chunk of context.read(path)) text += decoder.decode(chunk, { stream: true })
  return text + decoder.decode()
}

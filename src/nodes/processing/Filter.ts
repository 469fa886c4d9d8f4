import { Schema } from "effect"
import { selector } from "../../languages/expression/Compile.ts"
import { namedIn, sameFields, whereFaults } from "../FieldUse.ts"
import { type CheckContext, chosen, type Event, errors, node, type SettingsIssue } from "../Node.ts"
import { Failures } from "../records/Failures.ts"
import { codeFaults, mayKeepState, Program, timeoutMillis } from "./ProgramRunner.ts"

const settings = Schema.Struct({
  where: Schema.optionalKey(
    Schema.String.annotate({
      description:
        'The expression, for example `response >= 500 and not (verb in ["GET", "HEAD"])`. Fields are written `a.b`, ' +
        '`[a][b]` or `["odd name"]`.'
    })
  ),
  code: Schema.optionalKey(
    Schema.String.annotate({
      description:
        "Replaces `where`: JavaScript in a flowlet's sandbox. An expression on `event`, or a program that returns " +
        "whether the event is kept. Its changes to the event are discarded."
    })
  ),
  timeout_millis: timeoutMillis
})
type Settings = typeof settings.Type

const check = ({ where, code }: Settings, context: CheckContext): ReadonlyArray<SettingsIssue> => [
  ...((where === undefined) === (code === undefined) ? [{ path: [], detail: "expected either where or code" }] : []),
  ...(code === undefined ? whereFaults(where, ["where"]) : []),
  ...codeFaults(code, "filter", context)
]

export const filter = node({
  type: "filter",
  kind: "processing",
  effect: "selects",
  description: "Keeps the records for which an expression is true and drops the others.",
  runtimes: ["stream"],
  settings,
  inputs: { min: 1, max: 100 },
  // `where` cannot fail; a program can.
  outputs: [chosen, errors],
  // A program may call grok.
  needs: ["patterns"],
  isStateless: ({ code }) => code === undefined || !mayKeepState(code),
  example: { where: 'response >= 500 and request !~ "^/health"' },
  check,
  fields: ({ where, code }) => ({ ...sameFields(namedIn(where, ["where"])), isWhole: code !== undefined }),
  start: async ({ where, code, timeout_millis: millis }, context) => {
    if (code === undefined) {
      const select = selector(where ?? "")
      return { process: (batch, emit) => emit(chosen, select(batch)) }
    }
    const options = {
      text: code,
      purpose: "filter" as const,
      millis,
      definitions: "",
      ecsCompatibility: "disabled" as const
    }
    const program = await Program.start(options, context)
    const failures = new Failures(context)
    return {
      process: async (batch, emit) => {
        const kept: Array<Event> = []
        await program.run(batch, (event, { output }, failure) => {
          if (failure !== undefined) failures.add(event, failure)
          else if (output !== undefined) kept.push(event)
        })
        if (kept.length > 0) await emit(chosen, kept)
        await failures.send(emit)
      }
    }
  }
})

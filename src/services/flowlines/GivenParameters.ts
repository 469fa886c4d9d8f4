import { Effect, Option, Predicate, Schema } from "effect"
import { BadRequest, type Issue } from "../../errors/BadRequest.ts"
import { TooLarge } from "../../errors/TooLarge.ts"
import { readJsonBytes } from "../../languages/document/JsonRequest.ts"
import { Parameters, parameterBytes, parametersSchema, type Values } from "../../protocol/Parameters.ts"
import { strict } from "../shared/requests/RequestProblems.ts"
import { issuesOf } from "../shared/requests/SchemaIssues.ts"
import { parametersPart } from "./Decoder.ts"

const refused = (issue: Issue) => new BadRequest({ detail: "The parameters are invalid", issues: [issue] })

/** The parameters in a part of a form: a JSON object. */
export const parametersOfPart = (bytes: Uint8Array): Effect.Effect<Values, BadRequest> =>
  Effect.fromResult(readJsonBytes(bytes)).pipe(
    Effect.mapError((fault) => refused({ part: parametersPart, pointer: "", ...fault })),
    Effect.filterOrFail(isValues, () =>
      refused({ part: parametersPart, pointer: "", detail: "Expected a JSON object" })
    )
  )

const isValues = (value: unknown): value is Values => Predicate.isObject(value)

const decodeBody = Schema.decodeUnknownEffect(
  Schema.Struct({ parameters: Schema.optionalKey(Schema.Record(Schema.String, Schema.Unknown)) }),
  strict
)

/** The parameters in a JSON body `{"parameters": {…}}`; `null` stands for none. */
export const parametersOfBody = Effect.fnUntraced(function* (value: unknown, body: Uint8Array) {
  if (value === null) return {}
  const { parameters = {} } = yield* Effect.mapError(
    decodeBody(value),
    (error) => new BadRequest({ detail: "The parameters are invalid", issues: issuesOf(error, "body") })
  )
  if (body.length > parameterBytes) return yield* new TooLarge({ limit: parametersPart, value: parameterBytes })
  return parameters
})

/** Where the issues of parameters are in a JSON body. */
export const inBody = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.mapError(effect, (error) => {
    if (!(error instanceof BadRequest)) return error
    const issues = (error.issues ?? []).map((issue) =>
      issue.part === parametersPart
        ? { ...issue, part: "body", pointer: `/${parametersPart}${issue.pointer ?? ""}` }
        : issue
    )
    return new BadRequest({ ...(error.detail === undefined ? {} : { detail: error.detail }), issues }) as E & BadRequest
  })

const decodeSection = Schema.decodeUnknownOption(
  Schema.fromJsonString(Schema.Struct({ parameters: Schema.optionalKey(Parameters) }))
)

/** The parameters of a stored flowline as a JSON Schema. One without parameters takes an empty object. */
export const schemaOfParameters = (dag: string) =>
  parametersSchema(
    Option.match(decodeSection(dag), { onNone: () => ({}), onSome: ({ parameters = {} }) => parameters })
  )

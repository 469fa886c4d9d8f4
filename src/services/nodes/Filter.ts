import { Schema } from "effect"
import { position } from "../operators/PatternError.ts"
import { predicate } from "./expression/Compile.ts"
import { ExpressionFault } from "./expression/Parse.ts"
import { chosen, errors, node } from "./Node.ts"

export const filter = node({
  type: "filter",
  kind: "processing",
  description: "Keeps the records for which an expression holds and drops the others.",
  runtimes: ["stream"],
  settings: Schema.Struct({
    where: Schema.String.annotate({
      description:
        'The expression, for example `response >= 500 and not (verb in ["GET", "HEAD"])`. Fields are written `a.b`, ' +
        '`[a][b]` or `["odd name"]`.'
    })
  }),
  inputs: { min: 1, max: 100 },
  // A comparison cannot fail, so nothing ever comes on `errors`.
  outputs: [chosen, errors],
  example: { where: 'response >= 500 and request !~ "^/health"' },
  check: ({ where }) => {
    try {
      predicate(where)
      return []
    } catch (cause) {
      if (!(cause instanceof ExpressionFault)) throw cause
      return [{ path: ["where"], detail: cause.message, ...position(where, cause.offset) }]
    }
  },
  start: ({ where }) => {
    const holds = predicate(where)
    return { process: (batch, emit) => emit(chosen, batch.filter(holds)) }
  }
})

import { Schema } from "effect"
import { predicate } from "../../languages/expression/Compile.ts"
import { namedIn, sameFields, whereFaults } from "../FieldUse.ts"
import { chosen, type Event, errors, node, type SettingsIssue } from "../Node.ts"
import { withDefault } from "../settings/SettingsSchema.ts"

const Route = Schema.Struct({
  stream: Schema.String.check(Schema.isNonEmpty()).annotate({
    description: "Name of the stream, which the node must publish."
  }),
  where: Schema.String.annotate({ description: "The expression, as in `filter`." })
})

const settings = Schema.Struct({
  routes: Schema.NonEmptyArray(Route).annotate({
    description: "Streams and their conditions, in order: `{ stream, where }`."
  }),
  default: Schema.optionalKey(
    Schema.String.check(Schema.isNonEmpty()).annotate({
      description: "Stream of the records that match no route. Default: they are dropped."
    })
  ),
  mode: Schema.Literals(["first", "all"]).pipe(
    withDefault("first", "Whether a record goes to the first matching route, or to all.")
  )
})

const taken = "The stream errors is for records that fail"

export const dispatch = node({
  type: "dispatch",
  kind: "processing",
  effect: "selects",
  description: "Sends each record to the streams whose conditions it fulfils.",
  runtimes: ["stream"],
  settings,
  inputs: { min: 1, max: 100 },
  isStateless: () => true,
  // Nothing fails here, but a flowline may publish `errors` of all its nodes alike.
  outputs: [chosen, errors],
  example: { routes: [{ stream: "records", where: "response >= 500" }] },
  check: ({ routes, default: otherwise }) => [
    ...routes.flatMap(
      ({ stream, where }, at): ReadonlyArray<SettingsIssue> =>
        stream === errors
          ? [{ path: ["routes", at, "stream"], detail: taken }]
          : whereFaults(where, ["routes", at, "where"])
    ),
    ...(otherwise === errors ? [{ path: ["default"], detail: taken }] : [])
  ],
  streams: ({ routes, default: otherwise }) => [
    ...routes.map(({ stream }, at) => ({ stream, path: ["routes", at, "stream"] })),
    ...(otherwise === undefined ? [] : [{ stream: otherwise, path: ["default"] }])
  ],
  alternatives: ({ routes, mode }) => ({
    isFirst: mode === "first",
    list: routes.map(({ where }, at) => ({ path: ["routes", at, "where"], text: where, fits: predicate(where) }))
  }),
  fields: ({ routes }) => sameFields(routes.flatMap(({ where }, at) => namedIn(where, ["routes", at, "where"]))),
  start: ({ routes, default: otherwise, mode }) => {
    const compiled = routes.map(({ stream, where }) => ({ stream, holds: predicate(where) }))
    return {
      process: async (batch, emit) => {
        const sent = new Map<string, Array<Event>>()
        const send = (stream: string, event: Event) => {
          const events = sent.get(stream)
          if (events === undefined) sent.set(stream, [event])
          // Two matching routes may name the same stream.
          else if (events.at(-1) !== event) events.push(event)
        }
        for (const event of batch) {
          let fits = false
          for (const { stream, holds } of compiled) {
            if (!holds(event)) continue
            fits = true
            send(stream, event)
            if (mode === "first") break
          }
          if (!fits && otherwise !== undefined) send(otherwise, event)
        }
        for (const [stream, events] of sent) await emit(stream, events)
      }
    }
  }
})

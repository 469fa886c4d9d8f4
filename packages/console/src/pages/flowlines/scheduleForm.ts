import { flowlines } from "../../texts/en.ts"
import type { Schedule } from "./model.ts"
import type { Schema } from "./schema.ts"

const t = flowlines.schedules.fields

const text = (description: string, byDefault?: string): Schema => ({
  type: "string",
  description,
  ...(byDefault === undefined ? {} : { default: byDefault })
})

const choice = (values: ReadonlyArray<string>, description: string, byDefault?: string): Schema => ({
  enum: values,
  description,
  ...(byDefault === undefined ? {} : { default: byDefault })
})

const object = (properties: Readonly<Record<string, Schema>>, required: ReadonlyArray<string> = []): Schema => ({
  type: "object",
  properties,
  required
})

export type Kind = Exclude<keyof Schedule["trigger"], "zone">
export const kinds: ReadonlyArray<Kind> = ["cron", "every", "after", "file", "webhook"]

/** What can be set of each trigger, as a schema of the whole object `trigger`. */
export const triggers: Readonly<Record<Kind, Schema>> = {
  cron: object({ cron: text(t.cron), zone: text(t.zone, "UTC") }, ["cron"]),
  every: object({ every: text(t.every) }, ["every"]),
  after: object({
    after: object({
      flowline: text(t.afterFlowline),
      schedule: text(t.afterSchedule),
      on: choice(["success", "failure", "any"], t.on, "success")
    })
  }),
  file: object({
    file: object({ path: text(t.path), root: text(t.root), restsFor: text(t.restsFor, "10s") }, ["path"])
  }),
  webhook: object({
    webhook: object({
      body: choice(["records", "parameters"], t.body, "records"),
      perMinute: { type: "integer", description: t.perMinute, default: 60 },
      signature: { type: "object", description: t.signature }
    })
  })
}

/** What else can be set of a schedule. */
export const others: Schema = object({
  description: text(t.description),
  version: { type: "integer", description: t.version },
  overlap: choice(["skip", "queue", "allow"], t.overlap),
  catchUp: choice(["none", "last", "all"], t.catchUp, "last"),
  jitter: text(t.jitter)
})

/** A trigger as it is sent: a webhook needs nothing. */
export const triggerOf = (kind: Kind, given: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> =>
  kind === "cron" || kind === "every" ? given : { [kind]: given[kind] ?? {} }

import { Schema } from "effect"

/** What started an execution, as its run is told. Times are ISO 8601 UTC. */
export const RunTrigger = Schema.Struct({
  schedule: Schema.String,
  kind: Schema.String.annotate({ description: "cron, every, after, file, webhook, run or backfill" }),
  scheduledAt: Schema.String.annotate({ description: "The time that the execution is for" }),
  file: Schema.optionalKey(Schema.String.annotate({ description: "Path of the file that it is for" })),
  parameters: Schema.optionalKey(Schema.Record(Schema.String, Schema.Unknown))
}).annotate({ identifier: "RunTrigger" })
export type RunTrigger = typeof RunTrigger.Type

/** The body of a webhook: its media type without parameters, and its text. */
export const TriggerBody = Schema.Struct({ type: Schema.String, text: Schema.String })
export type TriggerBody = typeof TriggerBody.Type

const reference = /\$\{trigger:(\w*)\}/g

/**
 * The settings with what started the execution in place of `${trigger:scheduledAt}` anywhere in a text, and of
 * `${trigger:file}` where it is the whole text: the name of a file never becomes a part of a program or statement.
 * Throws a text for users when there is no such value.
 */
export const withTrigger = (value: unknown, trigger: RunTrigger | undefined): unknown => {
  if (typeof value === "string") {
    if (!value.includes("${trigger:")) return value
    return value.replace(reference, (found, name: string) => {
      if (name === "file" && found !== value) throw new UnusableTrigger(`${found} must be the whole text of a setting`)
      const known = name === "file" ? trigger?.file : name === "scheduledAt" ? trigger?.scheduledAt : undefined
      if (known !== undefined) return known
      throw new UnusableTrigger(
        trigger === undefined
          ? `${found} has no value: no schedule has started this execution`
          : `${found} has no value in an execution of the trigger ${trigger.kind}`
      )
    })
  }
  if (Array.isArray(value)) return value.map((item) => withTrigger(item, trigger))
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, withTrigger(member, trigger)]))
}

/** A reference that has no value, with what a user is told. */
export class UnusableTrigger extends Error {}

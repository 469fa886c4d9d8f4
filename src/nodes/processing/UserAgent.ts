import { Schema } from "effect"
import { fieldPath, getPath } from "../../languages/FieldPath.ts"
import { chosen, type Event, errors, node } from "../Node.ts"
import { Failures } from "../records/Failures.ts"
import { withDefault } from "../settings/SettingsSchema.ts"
import { FieldName } from "../settings/SettingTexts.ts"
import { agentReader } from "./agents/Agent.ts"
import { BoundedCache } from "./lookup/BoundedCache.ts"
import { missingSetting } from "./lookup/TableSource.ts"
import { inTheWay, mergeInto } from "./ParsingNode.ts"

/** Memory for user agents that were seen, in bytes. */
const cacheBytes = 4 * 1024 * 1024

export const userAgent = node({
  type: "user_agent",
  kind: "processing",
  description:
    "Tells browser, operating system and device of a user agent: `{name, version, os: {name, version, full}, device: {type, " +
    "vendor, model}, engine: {name, version}}`, as far as it says. `device.type` is `desktop`, `mobile`, `tablet`, `tv` or " +
    "`bot`: what calls itself bot, crawler, spider or the like, or names a page about itself as no browser does. Of " +
    "programs such as curl it tells name and version, those of the product that they name first.",
  runtimes: ["stream"],
  settings: Schema.Struct({
    field: Schema.String.check(Schema.isNonEmpty()).annotate({
      description: "Field of the record with the user agent."
    }),
    target: FieldName.pipe(withDefault("user_agent", "Field that receives what was found.")),
    on_missing: missingSetting("What to do with a record whose user agent is missing or tells nothing.")
  }),
  aliases: ["useragent", "ua", "user_agents"],
  inputs: { min: 1, max: 100 },
  isStateless: () => true,
  outputs: [chosen, errors],
  example: { field: "agent" },
  start: async ({ field, target, on_missing }, context) => {
    const parse = await agentReader()
    const cache = new BoundedCache<Event | undefined>(cacheBytes)
    const from = fieldPath(field)
    const put = mergeInto(target)
    const failures = new Failures(context)
    const find = (text: string): Event | undefined => {
      const cached = cache.get(text)
      if (cached !== undefined) return cached.value
      const found = parse(text)
      cache.set(text, found)
      return found
    }
    return {
      process: async (batch, emit) => {
        const found: Array<Event> = []
        for (const event of batch) {
          const text = getPath(event, from)
          const fields = typeof text === "string" ? find(text) : undefined
          if (fields !== undefined) {
            const made = put(event, fields)
            if (made === undefined) failures.add(event, inTheWay(target))
            else found.push(made)
          } else if (on_missing === "keep") found.push(event)
          else if (on_missing === "errors")
            failures.add(event, `the field ${field} has no user agent that tells anything`)
        }
        await emit(chosen, found)
        await failures.send(emit)
      }
    }
  }
})

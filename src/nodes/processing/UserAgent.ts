import { Effect, Schema } from "effect"
import { type Fields, fieldPath, getPath } from "../../languages/FieldPath.ts"
import { Failures } from "../Failures.ts"
import { chosen, type Event, errors, node } from "../Node.ts"
import { FieldName } from "../SettingTexts.ts"
import { BoundedCache } from "./lookup/BoundedCache.ts"
import { missingSetting } from "./lookup/TableSource.ts"
import { merge, placed } from "./Parsed.ts"

/** Characters of a user agent that are looked at. */
const maxLength = 1024
/** Memory for user agents that were seen, in bytes. */
const cacheBytes = 4 * 1024 * 1024

/** A program that names itself first, such as `curl/8.4.0`. */
const program = /^(?!Mozilla\/)([A-Za-z][A-Za-z0-9._+-]{0,63})\/([0-9][A-Za-z0-9._+-]{0,31})/

/** The members that have a text. */
const filled = (members: Readonly<Record<string, string | undefined>>): Fields =>
  Object.fromEntries(Object.entries(members).filter((member): member is [string, string] => (member[1] ?? "") !== ""))

const parser = async () => {
  const { default: bowser } = await import("bowser")
  return (text: string): Fields | undefined => {
    const cut = text.slice(0, maxLength)
    if (cut.trim() === "") return undefined
    const { browser, os, platform, engine } = bowser.parse(cut)
    const [, name, version] = program.exec(cut) ?? []
    const isKnown = (browser.name ?? "") !== ""
    const parts = {
      ...filled(isKnown ? { name: browser.name, version: browser.version } : { name, version }),
      os: filled({
        name: os.name,
        version: os.version,
        full: os.name && os.versionName && `${os.name} ${os.versionName}`
      }),
      device: filled({ type: platform.type, vendor: platform.vendor, model: platform.model }),
      engine: filled({ name: engine.name, version: engine.version })
    }
    const found = Object.entries(parts).filter(([, part]) => typeof part === "string" || Object.keys(part).length > 0)
    return found.length === 0 ? undefined : (Object.fromEntries(found) as Fields)
  }
}

export const userAgent = node({
  type: "user_agent",
  kind: "processing",
  description:
    "Tells browser, operating system and device of a user agent: `{name, version, os: {name, version, full}, device: {type, " +
    "vendor, model}, engine: {name, version}}`, as far as it says. `device.type` is `desktop`, `mobile`, `tablet`, `tv` or " +
    "`bot`. Of programs such as curl it tells name and version.",
  runtimes: ["stream"],
  settings: Schema.Struct({
    field: Schema.String.check(Schema.isNonEmpty()).annotate({
      description: "Field of the record with the user agent."
    }),
    target: FieldName.annotate({ description: "Field that receives what was found.", default: "user_agent" }).pipe(
      Schema.withDecodingDefaultKey(Effect.succeed("user_agent"))
    ),
    on_missing: missingSetting("What to do with a record whose user agent is missing or tells nothing.")
  }),
  aliases: ["useragent", "ua", "user_agents"],
  inputs: { min: 1, max: 100 },
  isStateless: () => true,
  outputs: [chosen, errors],
  example: { field: "agent" },
  start: async ({ field, target, on_missing }, context) => {
    const parse = await parser()
    const cache = new BoundedCache<Event | undefined>(cacheBytes)
    const from = fieldPath(field)
    const below = fieldPath(target)
    const failures = new Failures(context)
    const find = (text: string): Event | undefined => {
      const cached = cache.get(text)
      if (cached !== undefined) return cached.value
      const parsed = parse(text)
      const found = parsed === undefined ? undefined : (placed(below, parsed) as Event)
      cache.set(text, found)
      return found
    }
    return {
      process: async (batch, emit) => {
        const found: Array<Event> = []
        for (const event of batch) {
          const text = getPath(event as Fields, from)
          const fields = typeof text === "string" ? find(text) : undefined
          if (fields !== undefined) found.push(merge(event, fields))
          else if (on_missing === "keep") found.push(event)
          else if (on_missing === "errors")
            failures.add(event, `the field ${field} has no user agent that tells anything`)
        }
        await emit(chosen, found)
        await failures.send(emit)
      }
    }
  }
})

import { Effect, Schema } from "effect"
import { type Fields, fieldPath, getPath } from "../../languages/FieldPath.ts"
import { Failures } from "../Failures.ts"
import { chosen, type Event, errors, node } from "../Node.ts"
import { FieldName } from "../SettingTexts.ts"
import { BoundedCache } from "./lookup/BoundedCache.ts"
import { missingSetting } from "./lookup/TableSource.ts"
import { merge, placed } from "./ParsingNode.ts"

/** Characters of a user agent that are looked at. */
const maxLength = 1024
/** Memory for user agents that were seen, in bytes. */
const cacheBytes = 4 * 1024 * 1024

const product = "([A-Za-z][^/:;,()]{0,63})/(?=[^\\s;,()\\d]*\\d)([^\\s;,()]{1,64})"
/** The name of a crawler: `Mozilla/5.0 (compatible; AhrefsBot/7.0; +http://ahrefs.com/robot/)`. */
const crawler = new RegExp(`^Mozilla/.*\\bcompatible; ${product}`)
/** The product that a program names first, as in `docker/20.10.7 go/go1.13.15`; behind `Mozilla`, which says nothing. */
const programs = [
  new RegExp(`^(?!Mozilla/)${product}`),
  new RegExp(`^Mozilla/\\S+ (?:\\([^)]*\\) )?(?:Gecko/\\S+ )?${product}`),
  /^(Mozilla)\/(\S+) /
]

interface Product {
  readonly name?: string | undefined
  readonly version?: string | undefined
}

const productIn = (text: string, patterns: ReadonlyArray<RegExp>): Product | undefined => {
  for (const pattern of patterns) {
    const found = pattern.exec(text)
    if (found !== null) return { name: found[1], version: found[2] }
  }
  return undefined
}

/** The parser knows browsers and some crawlers. Of other texts it takes all before a slash for a name. */
const programOf = (text: string, parsed: Product, isCrawler: boolean): Product => {
  const isGuess = !text.startsWith("Opera/") && text.startsWith(`${parsed.name ?? ""}/`)
  if (isCrawler && !isGuess) return parsed
  const isKnown = (parsed.name ?? "") !== "" && !isGuess
  return productIn(text, [crawler]) ?? (isKnown ? parsed : (productIn(text, programs) ?? {}))
}

/** The members that have a text. */
const filled = (members: Readonly<Record<string, string | undefined>>): Fields =>
  Object.fromEntries(Object.entries(members).filter((member): member is [string, string] => (member[1] ?? "") !== ""))

const parser = async () => {
  const { default: bowser } = await import("bowser")
  return (text: string): Fields | undefined => {
    const cut = text.slice(0, maxLength)
    if (cut.trim() === "") return undefined
    const { browser, os, platform, engine } = bowser.parse(cut)
    const { name, version } = programOf(cut, browser, platform.type === "bot")
    const parts = {
      ...filled({ name, version }),
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
    "`bot`. Of programs such as curl it tells name and version, those of the product that they name first.",
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

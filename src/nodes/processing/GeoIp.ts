import { Predicate, Schema } from "effect"
import { messageOf } from "../../languages/ErrorMessage.ts"
import { type Fields, fieldPath, getPath, setPath } from "../../languages/FieldPath.ts"
import { chosen, type Event, errors, node } from "../Node.ts"
import { Failures } from "../records/Failures.ts"
import { withDefault } from "../settings/SettingsSchema.ts"
import { FieldName, fieldsOf } from "../settings/SettingTexts.ts"
import { filesOf, referencesOf, rootOf } from "../settings/StorageSettings.ts"
import { addressOf } from "./addresses/Address.ts"
import { BoundedCache } from "./lookup/BoundedCache.ts"
import { loadDatabase, type NetworkDatabase } from "./lookup/NetworkDatabase.ts"
import { ReloadedFiles } from "./lookup/ReloadedFiles.ts"
import { checkSource, lookedUp, missingSetting, reloadSetting, sourceFields } from "./lookup/TableSource.ts"
import { inTheWay, mergeInto } from "./ParsingNode.ts"

/** What the records of the usual databases hold. */
const usual: Readonly<Record<string, string>> = {
  continent_code: "continent.code",
  country_iso_code: "country.iso_code",
  country_name: "country.names",
  region_iso_code: "subdivisions.0.iso_code",
  region_name: "subdivisions.0.names",
  city_name: "city.names",
  postal_code: "postal.code",
  timezone: "location.time_zone",
  "location.lat": "location.latitude",
  "location.lon": "location.longitude",
  asn: "autonomous_system_number",
  as_organization: "autonomous_system_organization"
}

/** The longest text that can be an address, with blanks around it. */
const maxAddress = 64

/** What is added to a record, or why nothing is. */
type Found = Event | string

/** Memory for the fields of addresses, in bytes. */
const cacheBytes = 4 * 1024 * 1024

const settings = Schema.Struct({
  field: lookedUp,
  ...sourceFields,
  columns: Schema.optionalKey(
    fieldsOf(Schema.NonEmptyString).annotate({
      description:
        'The fields to add, each with its place in the database, such as `{ country: "country.iso_code" }`. Default: ' +
        "continent, country, region, city, postal code, time zone, location and autonomous system, as far as it has them."
    })
  ),
  language: Schema.String.check(
    Schema.isPattern(/^[A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8})*$/u, { expected: "a language" })
  ).pipe(withDefault("en", "Language of names; English where it lacks one.")),
  target: FieldName.pipe(withDefault("geo", "Field that receives the fields.")),
  on_missing: missingSetting("What to do with a record without an address that the database has."),
  reload: reloadSetting
})

/** The value at a path, in which a number is a place in a list. */
const valueAt = (record: unknown, path: ReadonlyArray<string>): unknown => {
  let found: unknown = record
  for (const part of path) {
    if (Array.isArray(found)) found = found[Number(part)]
    else if (Predicate.isObject(found) && Object.hasOwn(found, part)) found = found[part]
    else return undefined
  }
  return found
}

/** Makes the fields of a record of the database; undefined when it has none of them. */
const fieldMaker = (columns: Readonly<Record<string, string>>, language: string) => {
  const places = Object.entries(columns).map(([name, place]) => [fieldPath(name), place.split(".")] as const)
  return (record: unknown): Fields | undefined => {
    const fields: Fields = {}
    for (const [name, place] of places) {
      const value = valueAt(record, place)
      const named =
        place.at(-1) === "names" ? (valueAt(value ?? null, [language]) ?? valueAt(value ?? null, ["en"])) : value
      if (named !== undefined && named !== null) setPath(fields, name, named)
    }
    return Object.keys(fields).length === 0 ? undefined : fields
  }
}

export const geoip = node({
  type: "geoip",
  kind: "processing",
  description:
    "Adds where an address is, or whose it is, from a database in the format of MaxMind (MMDB), such as GeoLite2-City, " +
    "GeoLite2-ASN or one of your own. The file is yours: below the configuration folder, in the registry or an artifact. It " +
    "is read when the run starts, and again when it has changed.",
  runtimes: ["stream"],
  settings,
  aliases: ["geo", "geoip_lookup", "maxmind"],
  inputs: { min: 1, max: 100 },
  isStateless: () => true,
  outputs: [chosen, errors],
  example: { field: "clientip", path: "resources/GeoLite2-City.mmdb" },
  check: checkSource,
  secrets: ["s3"],
  roots: rootOf,
  references: referencesOf,
  start: async (given, context) => {
    const { field, target, on_missing, language, path } = given
    const database = await ReloadedFiles.of(context, filesOf(given, context), path, given.reload, () =>
      loadDatabase(given, context)
    )
    const fieldsOfRecord = fieldMaker(given.columns ?? usual, language)
    const from = fieldPath(field)
    const put = mergeInto(target)
    const failures = new Failures(context)
    let current: NetworkDatabase | undefined
    let cache = new BoundedCache<Found>(cacheBytes)
    const find = (now: NetworkDatabase, text: string): Found => {
      const address = addressOf(text.trim())
      if (address === undefined) return `the field ${field} has no IP address`
      let record: unknown
      try {
        record = now.find(address)
      } catch (error) {
        throw new Error(`The database is damaged at ${text}: ${messageOf(error)}`)
      }
      const fields = record === undefined ? undefined : fieldsOfRecord(record)
      return fields === undefined ? `the database has no ${text.trim()}` : fields
    }
    const cached = (now: NetworkDatabase, value: unknown): Found => {
      const text = typeof value === "string" && value.length <= maxAddress ? value : ""
      const known = cache.get(text)
      if (known !== undefined) return known.value
      const found = find(now, text)
      cache.set(text, found)
      return found
    }
    return {
      process: async (batch, emit) => {
        const now = database.value
        if (now !== current) {
          current = now
          cache = new BoundedCache(cacheBytes)
        }
        const found: Array<Event> = []
        for (const event of batch) {
          const fields = cached(now, getPath(event, from))
          if (typeof fields !== "string") {
            const made = put(event, fields)
            if (made === undefined) failures.add(event, inTheWay(target))
            else found.push(made)
          } else if (on_missing === "keep") found.push(event)
          else if (on_missing === "errors") failures.add(event, fields)
        }
        await emit(chosen, found)
        await failures.send(emit)
      }
    }
  }
})

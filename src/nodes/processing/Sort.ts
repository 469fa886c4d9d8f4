import { Schema } from "effect"
import { fieldPath, getPath } from "../../languages/FieldPath.ts"
import { dotted, sameFields } from "../FieldUse.ts"
import { chosen, type Event, errors, node } from "../Node.ts"
import { batchCharacters, batchRecords } from "../records/BatchSize.ts"
import { sizeOf } from "../records/RecordSize.ts"
import { withDefault } from "../settings/SettingsSchema.ts"
import { comparison, type Rank, rankOf } from "./sort/Rank.ts"

const By = Schema.Struct({
  field: Schema.NonEmptyString.annotate({ description: "Field whose values are compared." }),
  order: Schema.Literals(["ascending", "descending"]).pipe(withDefault("ascending", "Smallest or largest first."))
})

interface Entry {
  readonly event: Event
  readonly ranks: ReadonlyArray<Rank>
  readonly bytes: number
}

/** Bytes of an entry besides its record. */
const entryBytes = 100

const tooMany = (most: string) =>
  new Error(
    `there are more than ${most} to sort: set a smaller limit, raise max_records or max_bytes with memory_mib, ` +
      "or sort in an analytics flowline"
  )

export const sort = node({
  type: "sort",
  kind: "processing",
  description:
    "Holds all records until the inputs end and publishes them in order. Numbers are compared by size, also those in " +
    "texts; then come texts by their characters, booleans, lists and objects. Records without the field are last. Equal " +
    "records keep their order. A run whose records are more than the bounds fails: set a `limit`, or sort in an " +
    "analytics flowline, which uses the disk.",
  runtimes: ["stream"],
  settings: Schema.Struct({
    by: Schema.NonEmptyArray(By).annotate({
      description:
        "Fields to sort by, `{ field, order }`: the next one counts where the earlier ones are equal. `order` is " +
        "`ascending` (the default) or `descending`."
    }),
    limit: Schema.optionalKey(
      Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 10_000_000 })).annotate({
        description: "Number of records to publish, the first ones. No more than twice as many are held in memory."
      })
    ),
    max_records: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 100_000_000 })).pipe(
      withDefault(1_000_000, "Maximum number of records to hold when there is no limit.")
    ),
    max_bytes: Schema.Int.check(Schema.isBetween({ minimum: 1024, maximum: 68_719_476_736 })).pipe(
      withDefault(
        268_435_456,
        "Maximum memory of the records in bytes, as estimated; the first `limit` ones may take half of it. The run needs " +
          "that much: see `memory_mib`."
      )
    )
  }),
  inputs: { min: 1, max: 100 },
  // Nothing fails here, but a flowline may publish `errors` of all its nodes alike.
  outputs: [chosen, errors],
  example: { by: [{ field: "bytes", order: "descending" }], limit: 100 },
  hints: (_, live) =>
    live.map((component) => `the records of ${component} are held until it ends, and those of a killed run are lost`),
  fields: ({ by }) => sameFields(by.map(({ field }, at) => ({ name: dotted(field), path: ["by", at, "field"] }))),
  start: ({ by, limit, max_records, max_bytes }) => {
    const paths = by.map(({ field }) => fieldPath(field))
    const compare = comparison(by.map(({ order }) => order === "descending"))
    const byRanks = (a: Entry, b: Entry) => compare(a.ranks, b.ranks)
    let entries: Array<Entry> = []
    let bytes = 0
    /** The last of the entries that may still be published; later ones that are not before it are not. */
    let last: Entry | undefined

    const trim = () => {
      if (limit === undefined || entries.length <= limit) return
      entries.sort(byRanks)
      entries = entries.slice(0, limit)
      last = entries[limit - 1]
      bytes = entries.reduce((sum, entry) => sum + entry.bytes, 0)
    }

    const take = (event: Event) => {
      const ranks = paths.map((path) => rankOf(getPath(event, path)))
      if (last !== undefined && compare(ranks, last.ranks) >= 0) return
      const size = sizeOf(event) + entryBytes
      entries.push({ event, ranks, bytes: size })
      bytes += size
      if (limit === undefined) {
        if (entries.length > max_records) throw tooMany(`${max_records} records`)
        if (bytes > max_bytes) throw tooMany(`${max_bytes} bytes`)
      } else if (entries.length >= 2 * limit || bytes > max_bytes) {
        trim()
        // Half of the memory is for the records between two trims, which would be too frequent otherwise.
        if (bytes > max_bytes / 2) throw tooMany(`${Math.floor(max_bytes / 2)} bytes in the first ${limit} records`)
      }
    }

    return {
      process: (batch) => {
        for (const event of batch) take(event)
      },
      end: async (emit) => {
        entries.sort(byRanks)
        const sorted = limit === undefined ? entries : entries.slice(0, limit)
        entries = []
        let batch: Array<Event> = []
        let size = 0
        for (const entry of sorted) {
          batch.push(entry.event)
          size += entry.bytes
          if (batch.length < batchRecords && size < batchCharacters) continue
          await emit(chosen, batch)
          batch = []
          size = 0
        }
        if (batch.length > 0) await emit(chosen, batch)
      }
    }
  }
})

import { Predicate, Schema } from "effect"
import { durationMillis, PositiveDuration } from "../../languages/DurationText.ts"
import { parseJson } from "../../languages/json/JsonValue.ts"
import { runtimes } from "../../protocol/Flowline.ts"
import { chosen, type Emit, type Event, errors, type NodeContext, node, type SettingsIssue } from "../Node.ts"
import type { Database, DatabaseRow } from "../ports/Databases.ts"
import { batchRecords } from "../records/BatchSize.ts"
import { Failures } from "../records/Failures.ts"
import { withSources } from "../records/Source.ts"
import {
  DatabaseName,
  databaseFields,
  databaseSecrets,
  openPasswords,
  untilItAnswers
} from "../settings/DatabaseSettings.ts"
import { sleep } from "../time/Sleep.ts"

const settings = Schema.Struct({
  ...databaseFields,
  query: Schema.NonEmptyString.check(Schema.isMaxLength(100_000)).annotate({
    description: "`SELECT` whose rows become records. It cannot change anything. Columns of the same name need an `AS`."
  }),
  incremental: Schema.optionalKey(
    Schema.NonEmptyArray(DatabaseName)
      .check(Schema.isMaxLength(8))
      .annotate({
        description:
          "Columns of the result that only grow and together name a row, such as `[id]` or `[updated_at, id]`: rows come in " +
          "their order, and with `every` a later reading goes on behind the last one. Rows in which one is null are left out."
      })
  ),
  every: Schema.optionalKey(
    PositiveDuration.annotate({
      description:
        "Reads again after this time, such as `30s`, until the run is stopped: with `incremental` what is new, otherwise " +
        "all. In stream. Default: reads once."
    })
  ),
  position: Schema.optionalKey(
    Schema.NonEmptyString.check(Schema.isMaxLength(100)).annotate({
      description:
        "Name of a position that the saved flowline keeps from one execution to the next: each reads what is new since the " +
        "last one that has succeeded. Another name begins anew. With `incremental`, without `every`."
    })
  )
})
type Settings = typeof settings.Type

/** The values of `incremental` in the last row that every node has. */
const isSaved = Schema.is(Schema.Struct({ after: Schema.Array(Schema.String) }))

/** The values of `incremental` in the last row that an execution has read, and the hash of what it has read. */
const isCarried = Schema.is(Schema.Struct({ of: Schema.String, after: Schema.Array(Schema.String) }))

/** A hash of what decides which rows are read and in which order. Who logs in does not, and is not to be kept. */
const contentOf = ({ url, query, incremental, position }: Settings, { sha256 }: NodeContext): string | undefined => {
  const hash = sha256?.()
  const { host, pathname } = new URL(url)
  hash?.update(new TextEncoder().encode(JSON.stringify([position, host, pathname, query, incremental])))
  return hash?.hex()
}

const keepsPosition = ({ incremental, every }: Settings): boolean => incremental !== undefined && every !== undefined

const isSame = (one: ReadonlyArray<string>, other: ReadonlyArray<string>): boolean =>
  one.every((value, at) => value === other[at])

/** Reads the query, once or again and again, and knows how far. */
class Reading {
  readonly #given: Settings
  readonly #context: NodeContext
  readonly #emit: Emit
  readonly #failures: Failures
  readonly #keeps: boolean
  /** See {@link contentOf}; absent where nothing is left to the next execution. */
  readonly #content: string | undefined
  /** The values of `incremental` of the last row that a later reading leaves out. */
  #after: ReadonlyArray<string> | undefined
  /** Whether rows were emitted that a repeated reading would give again. */
  #isAhead = false
  /** The values of the last row that was emitted. */
  #last: ReadonlyArray<string> | undefined
  /** The last rows, all with the same values: as long as more of them can come, the position is before them. */
  #held: ReadonlyArray<DatabaseRow> = []
  /** The rows with the same values of `incremental` so far. */
  #equal: { readonly key: ReadonlyArray<string>; count: number } | undefined

  constructor(given: Settings, context: NodeContext, emit: Emit) {
    this.#given = given
    this.#context = context
    this.#emit = emit
    this.#failures = new Failures(context)
    this.#keeps = keepsPosition(given)
    const saved = this.#keeps ? context.position.load() : undefined
    this.#after = isSaved(saved) && saved.after.length === given.incremental?.length ? saved.after : undefined
    this.#content = given.position === undefined ? undefined : contentOf(given, context)
    const carried = context.carried?.load()
    if (this.#content !== undefined && isCarried(carried) && carried.of === this.#content) this.#after = carried.after
  }

  /** Leaves the place of the last row to the next execution. */
  leave(): void {
    if (this.#content !== undefined && this.#after !== undefined)
      this.#context.carried?.save({ of: this.#content, after: this.#after })
  }

  /** Reads what the query gives now. */
  async once(database: Database): Promise<void> {
    const { query: text, incremental: by = [], retry_seconds } = this.#given
    this.#isAhead = false
    await untilItAnswers(
      (moved) => {
        this.#held = []
        return database.read({ text, by, after: this.#after }, async (rows) => {
          await this.#take(rows)
          moved()
        })
      },
      retry_seconds * 1000,
      this.#context,
      () => !this.#isAhead
    )
    await this.#send(this.#held)
    if (this.#isAhead && this.#last !== undefined) this.#reached(this.#last)
  }

  async #take(rows: ReadonlyArray<DatabaseRow>): Promise<void> {
    const last = rows.at(-1)
    if (last === undefined) return
    const all = [...this.#held, ...rows]
    const isKeyed = last.key.length > 0
    const end = isKeyed ? all.findLastIndex(({ key }) => !isSame(key, last.key)) + 1 : 0
    // Any number of rows may have the same values, so they are held for one piece only.
    const isHeld = isKeyed && end > 0
    this.#held = isHeld ? all.slice(end) : []
    await this.#send(isHeld ? all.slice(0, end) : all)
    if (isHeld) this.#reached(all[end - 1]!.key)
  }

  #reached(key: ReadonlyArray<string>): void {
    if (key.length === 0) return
    this.#after = key
    this.#isAhead = false
    if (this.#keeps) this.#context.position.save(() => ({ after: key }))
  }

  async #send(rows: ReadonlyArray<DatabaseRow>): Promise<void> {
    this.#context.signal.throwIfAborted()
    const events: Array<Event> = []
    for (const { text, size, key } of rows) {
      const event = text === undefined ? undefined : parseJson(text)
      if (Predicate.isObject(event)) events.push(this.#sourced(event, key))
      else {
        const named = (this.#given.incremental ?? []).map((name, at) => [name, key[at]] as const)
        this.#failures.add(Object.fromEntries(named), `the row has ${size} bytes as JSON, which is too large`)
      }
    }
    if (rows.length > 0) {
      this.#isAhead = true
      this.#last = rows.at(-1)?.key
    }
    for (let at = 0; at < events.length; at += batchRecords)
      await this.#emit(chosen, events.slice(at, at + batchRecords))
    await this.#failures.send(this.#emit)
  }

  /** Every attempt gives the same row the same source, although each begins elsewhere. */
  #sourced(event: Event, key: ReadonlyArray<string>): Event {
    const { scope, component, isSourced } = this.#context
    if (isSourced !== true || key.length === 0) return event
    if (this.#equal === undefined || !isSame(this.#equal.key, key)) this.#equal = { key, count: 0 }
    return withSources([event], JSON.stringify([scope, component, key]), this.#equal.count++)[0] ?? event
  }
}

export const sqlInput = node({
  type: "sql_input",
  kind: "input",
  description:
    "Reads the rows of a query on a PostgreSQL by a cursor, from one snapshot. Numbers keep all their digits (those that " +
    "a double would round become strings), times are ISO 8601, `json` and arrays become values. With `incremental` and " +
    "`every` it goes on where it was, also in a later attempt; with `position`, in the next execution. A row of more than 4 194 304 bytes goes to `errors`.",
  runtimes,
  settings,
  secrets: databaseSecrets,
  aliases: ["jdbc", "jdbc_input", "postgres_input", "postgresql_input", "database_input", "db_input"],
  inputs: { min: 0, max: 0 },
  outputs: [chosen, errors],
  example: {
    url: "postgres://db.example.com/shop",
    user: "reader",
    password: `\${secret:SHOP_PASSWORD}`,
    query: "SELECT id, total, placed_at FROM orders",
    incremental: ["id"]
  },
  check: (given, { runtime }) => {
    const issues: Array<SettingsIssue> = [...openPasswords(given)]
    if (given.every !== undefined && runtime !== undefined && runtime !== "stream") {
      issues.push({ path: ["every"], detail: "Only stream flowlines read again and again" })
    }
    if (given.position !== undefined && given.every !== undefined) {
      const detail =
        "A run that reads again and again does not succeed, and keeps its own position: remove position or every"
      issues.push({ path: ["position"], detail })
    }
    if (given.position !== undefined && given.incremental === undefined) {
      issues.push({ path: ["position"], detail: "A position needs incremental, the columns that tell what is new" })
    }
    return issues
  },
  keepsPosition,
  carries: ({ position }) => position !== undefined,
  start: async (given, context) => {
    const { openDatabase, signal } = context
    if (openDatabase === undefined) throw new Error("Databases cannot be reached here")
    const database = await openDatabase(given)
    return {
      run: async (emit) => {
        try {
          const reading = new Reading(given, context, emit)
          await reading.once(database)
          if (given.every === undefined) return reading.leave()
          const pause = durationMillis(given.every)
          for (;;) {
            await sleep(pause, signal)
            if (signal.aborted) return
            await reading.once(database)
          }
        } finally {
          await database.close()
        }
      }
    }
  }
})

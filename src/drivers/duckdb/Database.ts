import { readFile } from "node:fs/promises"
import { join } from "node:path"
import type { DuckDBConnection } from "@duckdb/node-api"
import * as Predicate from "effect/Predicate"
import { messageOf } from "../../languages/ErrorMessage.ts"
import { identifier } from "../sql/Identifier.ts"
import { type Column, literal } from "./Columns.ts"
import { connect } from "./Connection.ts"

/** The error of a failed statement. `offset` counts bytes of the statement's UTF-8. */
export class SqlFailure extends Error {
  readonly kind: string
  readonly offset: number | undefined

  constructor(message: string, kind: string, offset: number | undefined) {
    super(message)
    this.name = "SqlFailure"
    this.kind = kind
    this.offset = offset
  }
}

export interface DatabaseLimits {
  readonly memoryMib: number
  readonly threads: number
  /** Maximum bytes of temporary data on disk. */
  readonly spillBytes: number
  /** A folder of the run, the only one that can be written. */
  readonly scratch: string
}

/** Parses an error in the JSON of `errors_as_json`, which may follow a short prefix. */
export const failureOf = (error: unknown): unknown => {
  const message = messageOf(error)
  try {
    const said: unknown = JSON.parse(message.slice(Math.max(0, message.indexOf("{"))))
    if (!Predicate.hasProperty(said, "exception_message")) return error
    const offset = "position" in said ? Number(said.position) : Number.NaN
    const kind = "exception_type" in said ? String(said.exception_type) : ""
    return new SqlFailure(String(said.exception_message), kind, Number.isInteger(offset) ? offset : undefined)
  } catch {
    return error
  }
}

/** A database without limits, which takes 20 ms and 20 MiB. */
const openUnlimited = async (): Promise<DuckDBConnection> => {
  // More threads are started when a run says how many it has.
  const connection = await connect()
  await connection.run(
    `CREATE SCHEMA flow; SET errors_as_json = true; SET TimeZone = 'UTC'; SET enable_profiling = 'json'; ` +
      `SET custom_profiling_settings = '{"OPERATOR_CARDINALITY": "true", "EXTRA_INFO": "true", "OPERATOR_NAME": "true"}'`
  )
  return connection
}

let opened: Promise<DuckDBConnection> | undefined

/** The DuckDB database of one run, in this process. */
export class Database {
  readonly #connection: DuckDBConnection
  readonly #profile: string
  #relations = 0

  private constructor(connection: DuckDBConnection, profile: string) {
    this.#connection = connection
    this.#profile = profile
  }

  /** Opens in advance what the next {@link Database.open} takes. */
  static async prepare(): Promise<void> {
    opened ??= openUnlimited()
    await opened
  }

  static async open({ memoryMib, threads, spillBytes, scratch }: DatabaseLimits): Promise<Database> {
    const connection = await (opened ?? openUnlimited())
    opened = undefined
    const profile = join(scratch, "profile.json")
    const database = new Database(connection, profile)
    await database.run(
      `SET memory_limit = '${memoryMib}MiB'; SET threads = ${threads}; ` +
        `SET temp_directory = ${literal(join(scratch, "spill"))}; ` +
        `SET max_temp_directory_size = '${Math.max(1, Math.floor(spillBytes / 1024))}KiB'; ` +
        `SET profiling_output = ${literal(profile)}`
    )
    return database
  }

  /**
   * Locks the database down: from now on only these files can be read, only the scratch folder written, and no setting
   * changed.
   */
  async close(files: ReadonlyArray<string>, scratch: string): Promise<void> {
    await this.run(
      `SET allowed_paths = [${files.map(literal).join(", ")}]; SET allowed_directories = [${literal(`${scratch}/`)}]; ` +
        "SET enable_external_access = false; SET lock_configuration = true"
    )
  }

  /** Runs a statement and returns its count: the rows of a COPY or of a new table. */
  async run(sql: string): Promise<number> {
    try {
      const result = await this.#connection.runAndReadAll(sql)
      return Number(result.columnNames()[0] === "Count" ? (result.getRows()[0]?.[0] ?? 0) : 0)
    } catch (error) {
      throw failureOf(error)
    }
  }

  /** The rows of a small query, as texts. */
  async rows(sql: string): Promise<ReadonlyArray<ReadonlyArray<string>>> {
    try {
      return (await this.#connection.runAndReadAll(sql)).getRows().map((row) => row.map(String))
    } catch (error) {
      throw failureOf(error)
    }
  }

  /** The first column of a query with one row. */
  async value(sql: string): Promise<number> {
    try {
      return Number((await this.#connection.runAndReadAll(sql)).getRows()[0]?.[0] ?? 0)
    } catch (error) {
      throw failureOf(error)
    }
  }

  /** The rows of a query with only text columns, in batches. */
  async *texts(sql: string): AsyncGenerator<ReadonlyArray<ReadonlyArray<string | null>>> {
    try {
      const result = await this.#connection.stream(sql)
      for (;;) {
        const chunk = await result.fetchChunk()
        if (chunk === null || chunk.rowCount === 0) return
        yield chunk.getRows().map((row) => row.map((cell) => (cell === null ? null : String(cell))))
      }
    } catch (error) {
      throw failureOf(error)
    }
  }

  async columns(relation: string): Promise<ReadonlyArray<Column>> {
    try {
      const result = await this.#connection.run(`SELECT * FROM ${relation} LIMIT 0`)
      return result.columnNames().map((name, index) => ({ name, type: result.columnType(index) }))
    } catch (error) {
      throw failureOf(error)
    }
  }

  /** DuckDB's syntax tree of the statement, as JSON. */
  async serialize(statement: string): Promise<string> {
    const result = await this.#connection.runAndReadAll("SELECT json_serialize_sql($1::VARCHAR)", [statement])
    return String(result.getRows()[0]?.[0])
  }

  /** A new name for an internal table or view, which users cannot see. */
  relation(): string {
    return `"memory"."flow".${identifier(`r${++this.#relations}`)}`
  }

  /**
   * The number of rows that the last statement read from each file. Files that are read together are counted under the
   * first one's name.
   */
  async scanned(): Promise<ReadonlyMap<string, number>> {
    const counts = new Map<string, number>()
    const visit = (operator: unknown): void => {
      if (!Predicate.isObject(operator)) return
      const { extra_info: info, operator_cardinality: count, children } = operator
      const names = Predicate.hasProperty(info, "Filename(s)") ? info["Filename(s)"] : undefined
      const name: unknown = Array.isArray(names) ? names[0] : names
      if (typeof name === "string" && typeof count === "number") {
        const first = name.split(", ", 1)[0]!
        counts.set(first, Math.max(counts.get(first) ?? 0, count))
      }
      if (Array.isArray(children)) children.forEach(visit)
    }
    visit(JSON.parse(await readFile(this.#profile, "utf8").catch(() => "{}")))
    return counts
  }

  /** Interrupts the running statement. */
  interrupt(): void {
    this.#connection.interrupt()
  }

  dispose(): void {
    this.#connection.closeSync()
  }
}

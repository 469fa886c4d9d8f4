import type { DuckDBConnection } from "@duckdb/node-api"
import { identifier } from "../sql/Identifier.ts"
import { literal } from "./Columns.ts"
import { connect, small } from "./Connection.ts"
import { failureOf, SqlFailure } from "./Database.ts"
import type { StatementFault } from "./Statement.ts"

/** The result of binding a statement: why it cannot run, or the names of its columns. */
export interface Bound {
  readonly fault?: StatementFault
  readonly columns?: ReadonlyArray<string>
}

/** Errors that do not depend on types, which are known only after all inputs were read. */
const certain = [
  /^Referenced column ".*" not found in FROM clause/,
  /^(Table|Values list) ".*" does not have a column named/,
  /^Referenced table ".*" not found/,
  /^Column ".*" in (EXCLUDE|REPLACE) list not found/,
  /^Column ".*" does not exist on (left|right) side of join/,
  /Function with name .* does not exist/
]

/** Binds statements to empty tables whose columns have a type that is accepted everywhere. */
export class Binder {
  readonly #connection: DuckDBConnection
  readonly #files: ReadonlySet<string>

  private constructor(connection: DuckDBConnection, files: ReadonlySet<string>) {
    this.#connection = connection
    this.#files = files
  }

  /** Opens a database that can read only these files. */
  static async open(files: ReadonlyArray<string>): Promise<Binder> {
    const connection = await connect(small)
    await connection.run(
      `SET errors_as_json = true; SET allowed_paths = [${files.map(literal).join(", ")}]; ` +
        "SET enable_external_access = false; SET lock_configuration = true"
    )
    return new Binder(connection, new Set(files))
  }

  close(): void {
    this.#connection.closeSync()
  }

  /** The columns of a Parquet file; undefined if it is not a valid one. */
  async parquet(path: string): Promise<ReadonlyArray<string> | undefined> {
    if (!this.#files.has(path)) return undefined
    return this.#columns(`read_parquet(${literal(path)})`).catch(() => undefined)
  }

  async #columns(relation: string): Promise<ReadonlyArray<string>> {
    return (await this.#connection.run(`SELECT * FROM ${relation} LIMIT 0`)).columnNames()
  }

  /** Binds a statement. `views` maps the names that it can read to their columns. */
  async bind(statement: string, views: ReadonlyMap<string, ReadonlyArray<string>>): Promise<Bound> {
    const before = "CREATE VIEW flow.result AS\n"
    try {
      await this.#connection.run("DROP SCHEMA IF EXISTS flow CASCADE; CREATE SCHEMA flow")
      for (const [index, [name, columns]] of [...views].entries()) {
        const list = columns.map((column) => `${identifier(column)} "NULL"`).join(", ")
        await this.#connection.run(`CREATE TABLE flow.t${index} (${list})`)
        await this.#connection.run(`CREATE OR REPLACE VIEW memory.main.${identifier(name)} AS FROM flow.t${index}`)
      }
      await this.#connection.run(before + statement)
      return { columns: await this.#columns("flow.result") }
    } catch (cause) {
      const error = failureOf(cause)
      if (!(error instanceof SqlFailure) || !certain.some((message) => message.test(error.message))) return {}
      const detail = `SQL: ${error.message.replaceAll("\n", " ").slice(0, 500).trim()}`
      const offset = error.offset === undefined ? -1 : error.offset - Buffer.byteLength(before)
      return { fault: offset < 0 ? { detail } : { detail, offset } }
    } finally {
      for (const name of views.keys()) {
        await this.#connection.run(`DROP VIEW IF EXISTS memory.main.${identifier(name)}`).catch(() => {})
      }
    }
  }
}

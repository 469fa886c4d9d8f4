/** Where a database is, and who logs in. Texts that may hold credentials are never part of a message. */
interface DatabaseAddress {
  /** `postgres://[user[:password]@]host[:port]/database[?sslmode=…]`. */
  readonly url: string
  /** In place of the URL's. */
  readonly user?: string | undefined
  readonly password?: string | undefined
  /** The certificates, in PEM, that sign the server's; by default those that Node knows. */
  readonly ca?: string | undefined
}

/** `disable`: no TLS. `require`: TLS with whatever certificate. `verify-full`: TLS with the certificate of the host. */
const tlsModes = ["disable", "require", "verify-full"] as const

/** The parts of a {@link DatabaseAddress}. */
interface DatabasePlace {
  readonly host: string
  readonly port: number
  readonly database: string
  readonly user: string | undefined
  readonly password: string | undefined
  readonly tls: (typeof tlsModes)[number]
}

const decoded = (text: string): string | undefined => {
  try {
    return text === "" ? undefined : decodeURIComponent(text)
  } catch {
    return undefined
  }
}

/** Reads the URL of a database; a text says what is wrong with it. */
export const databasePlace = (text: string): DatabasePlace | string => {
  const url = URL.parse(text)
  if (url === null || !/^postgres(ql)?:$/.test(url.protocol)) {
    return "Expected postgres://host:port/database"
  }
  const host = url.hostname.replace(/^\[(.*)\]$/, "$1")
  if (host === "" || host.startsWith("/") || host.includes("%")) return "The URL has no host"
  const database = decoded(url.pathname.slice(1))
  if (database === undefined || database.includes("/")) return "The URL has no database: postgres://host:port/database"
  for (const name of url.searchParams.keys()) {
    if (name !== "sslmode") return `Only sslmode can follow the "?", not ${JSON.stringify(name)}`
  }
  const sslmode = url.searchParams.get("sslmode") ?? "verify-full"
  const tls = tlsModes.find((mode) => mode === sslmode)
  if (tls === undefined) return `sslmode is one of ${tlsModes.join(", ")}`
  const port = url.port === "" ? 5432 : Number(url.port)
  return { host, port, database, user: decoded(url.username), password: decoded(url.password), tls }
}

/** The database did not answer, or broke off: the same may succeed later. The message is for the user. */
export class DatabaseAway extends Error {}

/** What a query gives. */
export interface DatabaseRow {
  /** The row as JSON with all digits; undefined when it is larger than a row may be. */
  readonly text: string | undefined
  /** The size of that text in bytes. */
  readonly size: number
  /** The values of the query's `by`, as texts. */
  readonly key: ReadonlyArray<string>
}

export interface DatabaseQuery {
  /** A `SELECT`, or another statement that can be a subquery. */
  readonly text: string
  /** Columns of the result by which it is ordered; rows in which one is null are left out. */
  readonly by: ReadonlyArray<string>
  /** Only rows whose `by` come after these. */
  readonly after: ReadonlyArray<string> | undefined
}

/** The table that records are written to. */
export interface DatabaseTable {
  readonly schema: string | undefined
  readonly name: string
  /** Columns of a unique index; empty for none. */
  readonly key: ReadonlyArray<string>
  /** What becomes of a row that is there already. Absent: it is a fault of the record. */
  readonly conflict: "update" | "ignore" | undefined
}

/** The results of rows, by their index in a call: undefined for a written row, or the reason of its refusal. */
export type Outcomes = Map<number, string | undefined>

export interface TableWriter {
  /** The columns that can be written. */
  readonly columns: ReadonlyArray<string>
  /**
   * Writes the rows, all members of which are columns, in one transaction, or in several if the database refuses some.
   * Rows that have an outcome are skipped, so that a call that broke off can be repeated for the others.
   */
  readonly write: (rows: ReadonlyArray<Readonly<Record<string, unknown>>>, outcomes: Outcomes) => Promise<void>
}

/**
 * A database of the tenant's. All rejections have a message for the user; {@link DatabaseAway} where the same may succeed
 * later.
 */
export interface Database {
  /** Passes on the rows of a query, some at a time, from one snapshot. `take` holds the reading back. */
  readonly read: (query: DatabaseQuery, take: (rows: ReadonlyArray<DatabaseRow>) => Promise<void>) => Promise<void>
  /** Rejects when there is no such table, column or unique index. */
  readonly table: (table: DatabaseTable) => Promise<TableWriter>
  readonly close: () => Promise<void>
}

/** Opens a database without connecting to it yet. Its connections end with the run. */
export type OpenDatabase = (address: DatabaseAddress) => Promise<Database>

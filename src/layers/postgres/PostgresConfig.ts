import type { Option, Redacted } from "effect"
import { Context } from "effect"

/** Where the gateway's database is. */
export class PostgresConfig extends Context.Service<
  PostgresConfig,
  {
    /** URL of an external PostgreSQL 15 or newer (`postgres://…`); without it the embedded server is started. */
    readonly databaseUrl: Option.Option<Redacted.Redacted<string>>
    /** The gateway's data folder; the embedded server uses its subfolder `postgres`. */
    readonly dataFolder: string
  }
>()("flow-gateway/layers/postgres/PostgresConfig") {}

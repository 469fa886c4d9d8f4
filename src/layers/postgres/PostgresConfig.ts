import type { Option, Redacted } from "effect"
import { Context } from "effect"

/** Where the gateway keeps its rows. */
export class PostgresConfig extends Context.Service<
  PostgresConfig,
  {
    /** Address of an outside PostgreSQL 15 or newer (`postgres://…`); without one, the embedded server is started. */
    readonly databaseUrl: Option.Option<Redacted.Redacted<string>>
    /** The gateway's data folder; the embedded server lives in its `postgres` folder. */
    readonly dataFolder: string
  }
>()("flow-gateway/layers/postgres/PostgresConfig") {}

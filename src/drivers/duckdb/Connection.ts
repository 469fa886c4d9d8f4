import { type DuckDBConnection, DuckDBInstance } from "@duckdb/node-api"

/** For a database that runs no query on data. */
export const small = { memory_limit: "64MB", temp_directory: "" }

/** Connects to a DuckDB in memory, with one thread, that loads no extension and stores no secret. */
export const connect = async (options: Readonly<Record<string, string>> = {}): Promise<DuckDBConnection> => {
  const instance = await DuckDBInstance.create(":memory:", {
    threads: "1",
    autoinstall_known_extensions: "false",
    autoload_known_extensions: "false",
    allow_community_extensions: "false",
    allow_persistent_secrets: "false",
    ...options
  })
  return instance.connect()
}

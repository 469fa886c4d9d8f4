import { DuckDBInstance } from "@duckdb/node-api"
import { type StatementFault, statementFaults } from "./Statement.ts"

/** A DuckDB that only parses statements: it runs none and has no files. */
const open = async () => {
  const instance = await DuckDBInstance.create(":memory:", {
    threads: "1",
    memory_limit: "64MB",
    temp_directory: "",
    enable_external_access: "false",
    lock_configuration: "true"
  })
  return instance.connect()
}

let connection: ReturnType<typeof open> | undefined

/** All faults of a statement that can be found without its inputs. */
export const parse = async (statement: string, views: ReadonlySet<string>): Promise<ReadonlyArray<StatementFault>> => {
  connection ??= open()
  const result = await (await connection).runAndReadAll("SELECT json_serialize_sql($1::VARCHAR)", [statement])
  return statementFaults(String(result.getRows()[0]?.[0]), views)
}

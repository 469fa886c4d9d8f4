import { once } from "../Once.ts"
import { connect, small } from "./Connection.ts"
import { type StatementFault, statementFaults } from "./Statement.ts"

/** A DuckDB that only parses statements: it runs none and has no files. */
const connection = once(() => connect({ ...small, enable_external_access: "false", lock_configuration: "true" }))

/** All faults of a statement that can be found without its inputs. */
export const parse = async (statement: string, views: ReadonlySet<string>): Promise<ReadonlyArray<StatementFault>> => {
  const result = await (await connection()).runAndReadAll("SELECT json_serialize_sql($1::VARCHAR)", [statement])
  return statementFaults(String(result.getRows()[0]?.[0]), views)
}

import { Result } from "effect"
import type { FlowlineFile } from "../../services/flowlines/Decoder.ts"
import type { decode } from "../../services/flowlines/Definition.ts"
import { readDocument } from "../../services/flowlines/Document.ts"
import { outline } from "../../services/flowlines/Outline.ts"
import type { Finding } from "../../services/flowlines/Validation.ts"
import { viewsOf } from "../../services/nodes/Sql.ts"
import { placeOf } from "../engines/analytics/Statement.ts"

/** Whether the file may hold SQL. A text that hides the word with escapes is known only when it was read. */
export const mayHoldSql = ({ bytes }: FlowlineFile): boolean =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).includes("sql")

/** What is wrong with the statements of a flowline's `sql` nodes, as far as DuckDB knows it without their inputs. */
const statementFindings = async (value: unknown): Promise<ReadonlyArray<Finding>> => {
  const found: Array<Finding> = []
  const { nodes } = outline(value)
  for (const [index, { type, settings, subscribe = [] }] of nodes.entries()) {
    const statement = settings?.["statement"]
    if (type !== "sql" || typeof statement !== "string" || statement === "") continue
    const inputs = subscribe.flatMap(({ component, stream }) =>
      component === undefined || stream === undefined ? [] : [{ component, stream }]
    )
    const { views, ambiguous } = viewsOf(inputs, (component) => {
      const publisher = nodes.find((node) => node.component === component)
      return publisher && { component, streams: (publisher.publish ?? []).flatMap(({ stream }) => stream ?? []) }
    })
    const path = ["dag", index, "settings", "statement"]
    for (const name of ambiguous) {
      const detail = `Two inputs have the view name ${JSON.stringify(name)}`
      found.push({ path: ["dag", index, "subscribe"], detail })
    }
    // DuckDB takes memory that does not come back: only flowlines with SQL load it.
    const { parse } = await import("../engines/analytics/Parser.ts")
    for (const { detail, offset } of await parse(statement, new Set(views.keys()))) {
      found.push({ path, detail, inside: offset === undefined ? { line: 1, column: 1 } : placeOf(statement, offset) })
    }
  }
  return found
}

type Decoded = ReturnType<typeof decode>

/** Whether the flowline that was read has SQL. */
export const holdsSql = (decoded: Decoded): boolean =>
  Result.isSuccess(decoded) && decoded.success.flowline.dag.some(({ type }) => type === "sql")

/** What is wrong with the SQL in a file that can be read. */
export const sqlFindings = async (file: FlowlineFile): Promise<ReadonlyArray<Finding>> => {
  const document = readDocument(file)
  return Result.isSuccess(document) ? statementFindings(document.success.value) : []
}

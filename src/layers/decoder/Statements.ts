import { join } from "node:path"
import { Result } from "effect"
import { placeOf, type StatementFault } from "../../drivers/duckdb/Statement.ts"
import { readDocument } from "../../languages/document/Document.ts"
import { viewsOf } from "../../nodes/processing/Sql.ts"
import type { FlowlineFile } from "../../services/flowlines/Decoder.ts"
import type { decode } from "../../services/flowlines/Definition.ts"
import { type OutlineNode, outline } from "../../services/flowlines/Outline.ts"
import type { Finding } from "../../services/flowlines/Validation.ts"

/** Whether the file may hold SQL. A text that hides the word with escapes is known only when it was read. */
export const mayHoldSql = ({ bytes }: FlowlineFile): boolean =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).includes("sql")

const statementOf = ({ type, settings }: OutlineNode): string | undefined => {
  const statement = settings?.["statement"]
  return type === "sql" && typeof statement === "string" && statement !== "" ? statement : undefined
}

/** The faults of one node's statement, besides those of its names. */
interface Read {
  readonly index: number
  readonly statement: string
  readonly views: ReadonlyMap<string, { readonly component: string; readonly stream: string }>
  readonly isSound: boolean
}

const findingOf = (index: number, statement: string, { detail, offset }: StatementFault): Finding => ({
  path: ["dag", index, "settings", "statement"],
  detail,
  inside: offset === undefined ? { line: 1, column: 1 } : placeOf(statement, offset)
})

/** Reads the statements by themselves. */
const readStatements = async (nodes: ReadonlyArray<OutlineNode>, found: Array<Finding>) => {
  const reads: Array<Read> = []
  for (const [index, node] of nodes.entries()) {
    const statement = statementOf(node)
    if (statement === undefined) continue
    const inputs = (node.subscribe ?? []).flatMap(({ component, stream }) =>
      component === undefined || stream === undefined ? [] : [{ component, stream }]
    )
    const { views, ambiguous } = viewsOf(inputs, (component) => {
      const publisher = nodes.find((node) => node.component === component)
      return publisher && { component, streams: (publisher.publish ?? []).flatMap(({ stream }) => stream ?? []) }
    })
    for (const name of ambiguous) {
      const detail = `Two inputs have the view name ${JSON.stringify(name)}`
      found.push({ path: ["dag", index, "subscribe"], detail })
    }
    // DuckDB takes memory that does not come back: only flowlines with SQL load it.
    const { parse } = await import("../../drivers/duckdb/Parser.ts")
    const faults = await parse(statement, new Set(views.keys()))
    found.push(...faults.map((fault) => findingOf(index, statement, fault)))
    reads.push({ index, statement, views, isSound: faults.length + ambiguous.length === 0 })
  }
  return reads
}

/** Looks up the statements' columns in those of their inputs, as far as these are known without reading everything. */
const lookUp = async (
  nodes: ReadonlyArray<OutlineNode>,
  reads: ReadonlyArray<Read>,
  conf: string | undefined,
  found: Array<Finding>
): Promise<void> => {
  const [{ Binder }, { fileColumns, parquetPaths, rowColumns }] = await Promise.all([
    import("../../drivers/duckdb/Binder.ts"),
    import("../../drivers/duckdb/Header.ts")
  ])
  const inputs = nodes.filter(({ type }) => type === "file_input")
  const paths =
    conf === undefined ? [] : await Promise.all(inputs.map((node) => parquetPaths(node.settings ?? {}, conf)))
  const binder = await Binder.open(paths.flat())
  const known = new Map<string, ReadonlyArray<string> | undefined>()
  const columnsOf = async (component: string): Promise<ReadonlyArray<string> | undefined> => {
    if (known.has(component)) return known.get(component)
    // Of nodes in a circle none is known.
    known.set(component, undefined)
    known.set(component, await find(nodes.findIndex((node) => node.component === component)))
    return known.get(component)
  }
  const find = async (index: number): Promise<ReadonlyArray<string> | undefined> => {
    const { type, settings = {} } = nodes[index] ?? {}
    if (type === "dataset_generator") return rowColumns(settings["rows"])
    if (type === "file_input") return conf === undefined ? undefined : fileColumns(settings, conf, binder)
    const read = reads.find((read) => read.index === index)
    if (read?.isSound !== true) return undefined
    const views = new Map<string, ReadonlyArray<string>>()
    for (const [name, { component, stream }] of read.views) {
      const columns = stream === "errors" ? undefined : await columnsOf(component)
      if (columns === undefined) return undefined
      views.set(name, columns)
    }
    const { fault, columns } = await binder.bind(read.statement, views)
    if (fault !== undefined) found.push(findingOf(index, read.statement, fault))
    return columns
  }
  try {
    for (const { index } of reads) {
      const component = nodes[index]?.component
      if (component !== undefined) await columnsOf(component)
    }
  } finally {
    binder.close()
  }
}

/**
 * What is wrong with the statements of a flowline's `sql` nodes, as far as DuckDB knows it without their inputs'
 * records.
 */
const statementFindings = async (value: unknown, conf: string | undefined): Promise<ReadonlyArray<Finding>> => {
  const found: Array<Finding> = []
  const { nodes } = outline(value)
  const reads = await readStatements(nodes, found)
  if (reads.some(({ isSound }) => isSound)) await lookUp(nodes, reads, conf, found)
  return found
}

type Decoded = ReturnType<typeof decode>

/** Whether the flowline that was read has SQL. */
export const holdsSql = (decoded: Decoded): boolean =>
  Result.isSuccess(decoded) && decoded.success.flowline.dag.some(({ type }) => type === "sql")

/** What is wrong with the SQL in a file that can be read. `confRoot` is the configuration folder, when there is one. */
export const sqlFindings = async (file: FlowlineFile, confRoot?: string): Promise<ReadonlyArray<Finding>> => {
  const document = readDocument(file)
  if (Result.isFailure(document)) return []
  const { tenant } = file
  const conf = confRoot === undefined || tenant === undefined ? undefined : join(confRoot, "tenants", tenant)
  return statementFindings(document.success.value, conf)
}

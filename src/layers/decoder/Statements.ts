import { placeOf, type StatementFault } from "../../drivers/duckdb/Statement.ts"
import { viewsOf } from "../../nodes/processing/Sql.ts"
import type { SqlFindings } from "../../services/flowlines/Decoder.ts"
import type { Finding } from "../../services/flowlines/validation/Finding.ts"
import type { SqlNode } from "../../services/flowlines/validation/Outline.ts"

/** The faults of one node's statement, except unknown names. */
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

/** Parses every statement, independently of its inputs. */
const readStatements = async (nodes: ReadonlyArray<SqlNode>, found: Array<Finding>) => {
  const reads: Array<Read> = []
  for (const [index, { relation, subscribe }] of nodes.entries()) {
    if (relation === undefined || !("statement" in relation)) continue
    const { statement } = relation
    const inputs = (subscribe ?? []).flatMap(({ component, stream }) =>
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
    // DuckDB does not return its memory, so it is loaded only for flowlines with SQL.
    const { parse } = await import("../../drivers/duckdb/StatementParser.ts")
    const faults = await parse(statement, new Set(views.keys()))
    found.push(...faults.map((fault) => findingOf(index, statement, fault)))
    reads.push({ index, statement, views, isSound: faults.length + ambiguous.length === 0 })
  }
  return reads
}

/** Checks the statements against the columns of their inputs, as far as these are known without reading the data. */
const lookUp = async (
  nodes: ReadonlyArray<SqlNode>,
  reads: ReadonlyArray<Read>,
  conf: string | undefined,
  found: Array<Finding>
): Promise<SqlFindings["columns"]> => {
  const [{ Binder }, { fileColumns, parquetPaths, plain }] = await Promise.all([
    import("../../drivers/duckdb/Binder.ts"),
    import("../../drivers/duckdb/FileColumns.ts")
  ])
  const files = nodes.flatMap(({ relation }) => (relation !== undefined && "path" in relation ? [relation] : []))
  const paths = conf === undefined ? [] : await Promise.all(files.map((file) => parquetPaths(file, conf)))
  const binder = await Binder.open(paths.flat())
  const known = new Map<string, ReadonlyArray<string> | undefined>()
  const columnsOf = async (component: string): Promise<ReadonlyArray<string> | undefined> => {
    if (known.has(component)) return known.get(component)
    // Marks the node as unknown before its inputs are looked up, so that a cycle ends.
    known.set(component, undefined)
    known.set(component, await find(nodes.findIndex((node) => node.component === component)))
    return known.get(component)
  }
  const find = async (index: number): Promise<ReadonlyArray<string> | undefined> => {
    const relation = nodes[index]?.relation
    if (relation === undefined) return undefined
    if ("columns" in relation) return plain(relation.columns)
    if ("path" in relation) return conf === undefined ? undefined : fileColumns(relation, conf, binder)
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
    return Object.fromEntries([...known].flatMap(([name, columns]) => (columns === undefined ? [] : [[name, columns]])))
  } finally {
    binder.close()
  }
}

/**
 * The faults that DuckDB finds in the statements of a flowline's nodes without their inputs' records, and the columns
 * of the nodes as far as they are known. `conf` is the tenant's configuration folder, if there is one.
 */
export const sqlFindings = async (nodes: ReadonlyArray<SqlNode>, conf: string | undefined): Promise<SqlFindings> => {
  const findings: Array<Finding> = []
  const reads = await readStatements(nodes, findings)
  const columns = reads.some(({ isSound }) => isSound) ? await lookUp(nodes, reads, conf, findings) : {}
  return { findings, columns }
}

import * as Predicate from "effect/Predicate"
import { folded } from "../../nodes/processing/Sql.ts"

/** A fault of a statement. `offset` counts bytes of its UTF-8. */
export interface StatementFault {
  readonly detail: string
  readonly offset?: number
}

/** The only table functions that a query may call: all others in FROM read files or reveal details of this process. */
const tableFunctions = new Set(["generate_series", "json_each", "json_tree", "range", "repeat", "unnest"])

/**
 * Scalar functions that reveal details of the process, its folders or its queries. `json_serialize_plan` plans a text as
 * a query, which nothing has checked, and evaluates the functions in it.
 */
const refused =
  /^(current_setting|json_serialize_plan|current_query|getenv|getvariable|write_log|stats|which_secret|query|query_table|nextval|currval|txid_current|get_block_size|col_description|obj_description|shobj_description|inet_.*|pg_(?!typeof$).*|has_.*_privilege|duckdb_.*|pragma_.*|read_.*|parse_duckdb_log_message)$/

type Tree = Readonly<Record<string, unknown>>

const isTree = (value: unknown): value is Tree => Predicate.isObjectOrArray(value)
const textOf = (value: unknown): string => (typeof value === "string" ? value : "")

const listed = (names: Iterable<string>): string => [...names].map((name) => `"${name}"`).join(", ")

/**
 * Checks the tree that DuckDB's `json_serialize_sql` makes of a statement: it may read only the views and its own WITH
 * tables. Positions refer to the statement's text.
 */
export const statementFaults = (serialized: string, views: ReadonlySet<string>): ReadonlyArray<StatementFault> => {
  const root: unknown = JSON.parse(serialized)
  if (!isTree(root)) return [{ detail: "The statement could not be read" }]
  if (root["error"] === true) return [syntaxFault(root)]
  const statements = Array.isArray(root["statements"]) ? root["statements"] : []
  if (statements.length !== 1) return [{ detail: `One statement is allowed, not ${statements.length}` }]
  const [statement] = statements
  const described = isTree(statement) && isTree(statement["node"]) ? statement["node"]["from_table"] : undefined
  if (isTree(described) && described["type"] === "SHOW_REF" && isTree(described["query"])) {
    return [{ detail: "Write FROM (SUMMARIZE …) or FROM (DESCRIBE …) to get the result as records" }]
  }
  const known = new Set([...views].map(folded))
  const faults: Array<StatementFault> = []
  const fault = (tree: Tree, detail: string) => {
    const offset = tree["query_location"]
    // An unknown position is the largest 64-bit number.
    faults.push(typeof offset === "number" && offset < 2 ** 32 ? { detail, offset } : { detail })
  }

  const visitTable = (tree: Tree, scope: ReadonlySet<string>) => {
    const name = textOf(tree["table_name"])
    const qualified = textOf(tree["schema_name"]) !== "" || textOf(tree["catalog_name"]) !== ""
    if (!qualified && (known.has(folded(name)) || scope.has(folded(name)))) return
    const full = [tree["catalog_name"], tree["schema_name"], name].map(textOf).filter((part) => part !== "")
    fault(tree, `There is no view ${JSON.stringify(full.join("."))}: there is ${listed(views)}`)
  }

  const visit = (value: unknown, scope: ReadonlySet<string>, inFrom = false): void => {
    if (Array.isArray(value)) {
      for (const item of value) visit(item, scope)
      return
    }
    if (!isTree(value)) return
    const inner = visitWith(value, scope)
    switch (value["type"]) {
      case "VALUE_CONSTANT":
        return
      case "VALUE_PARAMETER":
        fault(value, "Parameters are not supported")
        return
      case "BASE_TABLE":
        visitTable(value, scope)
        break
      case "SHOW_REF":
        if (!isTree(value["query"])) fault(value, "Only inputs can be described")
        break
      case "TABLE_FUNCTION":
        visit(value["function"], inner, true)
        return
      case "RECURSIVE_CTE_NODE": {
        // Only the second query sees the table: in the first one, the name is that of another table.
        const { right, ...others } = value
        const names = [value["cte_name"], value["ctename"]].map(textOf).filter((name) => name !== "")
        visit(Object.values(others), inner)
        visit(right, new Set([...inner, ...names.map(folded)]))
        return
      }
    }
    const called = textOf(value["function_name"])
    if (inFrom ? !tableFunctions.has(folded(called)) : refused.test(folded(called))) {
      fault(value, `The function ${JSON.stringify(called)} is not available`)
    }
    for (const [name, member] of Object.entries(value)) if (name !== "cte_map") visit(member, inner)
  }

  /** Visits the WITH tables of a query and returns the names in scope behind them. Each sees only those before it. */
  const visitWith = (tree: Tree, scope: ReadonlySet<string>): ReadonlySet<string> => {
    const entries = isTree(tree["cte_map"]) && Array.isArray(tree["cte_map"]["map"]) ? tree["cte_map"]["map"] : []
    if (entries.length === 0) return scope
    const inner = new Set(scope)
    for (const entry of entries) {
      if (!isTree(entry)) continue
      visit(entry["value"], new Set(inner))
      const name = textOf(entry["key"])
      if (name !== "") inner.add(folded(name))
    }
    return inner
  }
  visit(statement, new Set())
  return faults
}

const syntaxFault = (root: Tree): StatementFault => {
  const detail = textOf(root["error_message"])
  if (root["error_type"] !== "parser") {
    return { detail: "Only a query is allowed: SELECT, WITH, FROM or VALUES (PIVOT needs explicit values with IN)" }
  }
  const offset = Number(root["position"])
  return Number.isInteger(offset) ? { detail: `SQL: ${detail}`, offset } : { detail: `SQL: ${detail}` }
}

/** The line and column, from 1, of a byte offset in the text. */
export const placeOf = (text: string, offset: number): { readonly line: number; readonly column: number } => {
  const before = Buffer.from(text).subarray(0, offset).toString()
  const lineStart = before.lastIndexOf("\n") + 1
  return { line: before.split("\n").length, column: before.length - lineStart + 1 }
}

import { Schema } from "effect"
import { chosen, node } from "../Node.ts"

export const sql = node({
  type: "sql",
  kind: "processing",
  description:
    "Publishes the result of a query. Each input is a view `<component>_<stream>`, and `<component>` when that component " +
    "publishes only one stream. The query is one SELECT statement (or WITH, FROM, VALUES) in DuckDB's dialect and reads " +
    "only its inputs.",
  runtimes: ["analytics"],
  settings: Schema.Struct({
    statement: Schema.String.check(Schema.isNonEmpty(), Schema.isMaxLength(1_048_576)).annotate({
      description: "The query, for example `SELECT status, count(*) AS n FROM access GROUP BY status ORDER BY n DESC`."
    })
  }),
  inputs: { min: 1, max: 100 },
  outputs: [chosen],
  example: { statement: "SELECT city, population FROM dataset_generator WHERE population > 500000" },
  analytics: ({ statement }) => ({ kind: "query", statement }),
  relation: ({ statement }) => (typeof statement === "string" && statement !== "" ? { statement } : undefined),
  start: () => {
    throw new Error("sql runs in analytics only")
  }
})

/** A component and the streams that it publishes. */
interface Publisher {
  readonly component: string
  readonly streams: ReadonlyArray<string>
}

/** The views of an `sql` node by name, and the names that two inputs would have. */
interface Views<A> {
  readonly views: ReadonlyMap<string, A>
  readonly ambiguous: ReadonlyArray<string>
}

/** SQL names are case-insensitive; DuckDB folds the letters of ASCII alone. */
export const folded = (name: string): string => name.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())

/**
 * Assigns view names to the inputs of an `sql` node, without regard to case. A full name (`<component>_<stream>`) of
 * two inputs is ambiguous. A short name (`<component>`) of two inputs is omitted, and a full name takes precedence.
 */
export const viewsOf = <A extends { readonly component: string; readonly stream: string }>(
  inputs: ReadonlyArray<A>,
  publisher: (component: string) => Publisher | undefined
): Views<A> => {
  const full = new Map<string, readonly [name: string, input: A]>()
  const short = new Map<string, readonly [name: string, input: A] | undefined>()
  const ambiguous: Array<string> = []
  for (const input of inputs) {
    const { component, stream } = input
    const name = `${component}_${stream}`
    if (full.has(folded(name))) ambiguous.push(name)
    else full.set(folded(name), [name, input])
    if (publisher(component)?.streams.length !== 1) continue
    short.set(folded(component), short.has(folded(component)) ? undefined : [component, input])
  }
  const views = new Map([...full.values()].map(([name, input]) => [name, input]))
  for (const [key, entry] of short) if (entry !== undefined && !full.has(key)) views.set(entry[0], entry[1])
  return { views, ambiguous }
}

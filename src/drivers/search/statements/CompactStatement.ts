import type { SqlClient } from "effect/sql"
import type { Statement } from "effect/sql/Statement"

/**
 * A statement with each of its values once. The condition of a search is repeated for each part, and PostgreSQL
 * compiles each JSON path that it is given, with all regular expressions in it. Equal values of different types stay
 * apart, so only parameters with a cast are shared.
 */
export const compact = (statement: Statement<object>): readonly [text: string, parameters: ReadonlyArray<unknown>] => {
  const [text, parameters] = statement.compile()
  const kept: Array<unknown> = []
  const known = new Map<string, Map<unknown, number>>()
  const numbered = text.replace(/\$(\d+)(::[a-z0-9]+(?:\[\])?)?/g, (_, number: string, cast: string | undefined) => {
    const value = parameters[Number(number) - 1]
    if (cast === undefined) return `$${kept.push(value)}`
    const values = known.get(cast) ?? new Map<unknown, number>()
    known.set(cast, values)
    const at = values.get(value) ?? kept.push(value)
    values.set(value, at)
    return `$${at}${cast}`
  })
  return [numbered, kept]
}

/** {@link compact} as a statement. */
export const compacted = <A extends object>(sql: SqlClient.SqlClient, statement: Statement<A>): Statement<A> => {
  const [text, parameters] = compact(statement)
  return sql.unsafe<A>(text, parameters)
}

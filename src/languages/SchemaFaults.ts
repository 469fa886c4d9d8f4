import { type SchemaAST, SchemaIssue } from "effect"
import { maxSuggestions, unknownName } from "./Suggest.ts"

/** A fault of a value that does not match its schema. */
export interface SchemaFault {
  readonly path: ReadonlyArray<PropertyKey>
  readonly detail: string
  /** The member's name is at fault, not its value. */
  readonly key?: true
}

/** The names of the members that the schema of an object declares. */
const memberNames = (ast: SchemaAST.AST): ReadonlyArray<string> =>
  ast._tag === "Objects" ? ast.propertySignatures.map(({ name }) => String(name)) : []

/** What stands for an unknown member until its path, and so its name, is known: a number follows. */
const unknownMember = "\u0000unknown member "

/**
 * The faults that a schema found, in its order, up to `most`. A member that there is not is told with the name that may
 * be meant.
 */
export const schemaFaults = (issue: SchemaIssue.Issue, most?: number): ReadonlyArray<SchemaFault> => {
  const unknown: Array<SchemaIssue.UnexpectedKey> = []
  const format = SchemaIssue.makeFormatterStandardSchemaV1({
    leafHook: (leaf) => {
      if (leaf._tag === "UnexpectedKey") return `${unknownMember}${unknown.push(leaf) - 1}`
      return leaf._tag === "MissingKey" ? "This is required" : SchemaIssue.defaultLeafHook(leaf)
    }
  })
  return format(issue)
    .issues.slice(0, most)
    .map(({ message, path: parts = [] }, index): SchemaFault => {
      const path = parts.map((part) => (typeof part === "object" ? part.key : part))
      const leaf = message.startsWith(unknownMember) ? unknown[Number(message.slice(unknownMember.length))] : undefined
      if (leaf === undefined) return { path, detail: message }
      const known = index < maxSuggestions ? memberNames(leaf.ast) : []
      return { path, detail: unknownName(String(path.at(-1)), known), key: true }
    })
}

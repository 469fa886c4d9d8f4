import { Schema, SchemaAST } from "effect"
import { HttpApi } from "effect/http-api"
import type { Api } from "../src/Api.ts"

/** The descriptions of a struct's members, by their names; an empty one where structs of the same members differ. */
type Descriptions = Map<string, string>

const nameOfStruct = (names: Iterable<string>): string => [...names].sort().join(" ")

/** The description of a member: of its value, or of the text that is sent for it. Empty for none. */
const descriptionOf = ({ annotations, checks, encoding }: SchemaAST.AST): string => {
  const own = [annotations, ...(checks ?? []).map((check) => check.annotations)]
  const found = own.findLast((one) => typeof one?.description === "string")?.description
  return String(found ?? (encoding ?? []).map(({ to }) => descriptionOf(to)).join(""))
}

const memberIn = (line: string): string | undefined => /^\s*(?:readonly )?"?([\w-]+)"?\??: /.exec(line)?.[1]

/** The descriptions in the interface, by the names of the members of each struct. */
const descriptionsIn = (api: typeof Api): ReadonlyMap<string, Descriptions> => {
  const structs = new Map<string, Descriptions>()
  const seen = new Set<unknown>()
  const visit = (value: unknown): void => {
    if (Schema.isSchema(value)) visit(value.ast)
    if (typeof value !== "object" || value === null || seen.has(value)) return
    seen.add(value)
    if (SchemaAST.isAST(value) && SchemaAST.isObjects(value)) {
      const members = value.propertySignatures.map(({ name, type }) => [String(name), descriptionOf(type)] as const)
      const key = nameOfStruct(members.map(([name]) => name))
      const known = structs.get(key) ?? new Map(members)
      for (const [name, text] of members) if (known.get(name) !== text) known.set(name, "")
      structs.set(key, known)
    }
    for (const inner of value instanceof Map || value instanceof Set ? value.values() : Object.values(value))
      visit(inner)
  }
  HttpApi.reflect(api, {
    onGroup: () => {},
    onEndpoint: ({ endpoint: { params, query, payload, success, error } }) =>
      visit([params, query, payload, success, error])
  })
  return structs
}

/**
 * The declarations with the descriptions as doc comments of the members. A struct is known by the names of its members.
 */
export const described = (declarations: string, api: typeof Api): string => {
  const structs = descriptionsIn(api)
  const lines = declarations.split("\n")
  const open: Array<Array<number>> = []
  const comments = new Map<number, string>()
  for (const [at, line] of lines.entries()) {
    if (/^\s*\}/.test(line)) {
      const members = new Map((open.pop() ?? []).map((place) => [memberIn(lines[place]!) ?? "", place]))
      const known = structs.get(nameOfStruct(members.keys()))
      for (const [name, place] of members) comments.set(place, known?.get(name) ?? "")
    }
    if (memberIn(line) !== undefined) open.at(-1)?.push(at)
    if (line.endsWith("{")) open.push([])
  }
  return lines
    .flatMap((line, at) => (comments.get(at) ? [`/** ${comments.get(at)!.replaceAll("*/", "*\\/")} */`, line] : [line]))
    .join("\n")
}

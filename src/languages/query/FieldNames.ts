import * as Predicate from "effect/Predicate"

/** Maximum number of names, and of members that contain one another. */
const limits = { names: 1000, depth: 8 }

/** The dotted names of the fields of documents, through lists; at most 1000. */
export const namesIn = (documents: Iterable<unknown>): ReadonlyArray<string> => {
  const names = new Set<string>()
  const add = (value: unknown, path: string, depth: number): void => {
    if (names.size >= limits.names || depth > limits.depth) return
    if (Array.isArray(value)) {
      for (const one of value.slice(0, 20)) add(one, path, depth + 1)
    } else if (Predicate.isObject(value)) {
      for (const [name, one] of Object.entries(value)) add(one, path === "" ? name : `${path}.${name}`, depth + 1)
    } else if (path !== "" && value !== null) names.add(path)
  }
  for (const document of documents) add(document, "", 0)
  return [...names]
}

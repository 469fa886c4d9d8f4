import { Predicate } from "effect"

const text = (members: object, name: string): string | undefined =>
  Predicate.hasProperty(members, name) && (typeof members[name] === "string" || typeof members[name] === "number")
    ? String(members[name])
    : undefined

const quoted = (value: string | undefined) => (value === undefined ? "" : ` "${value}"`)

/** Default details of problems that have none, by the slug of their type. */
const sentences: Record<string, (members: object) => string> = {
  "not-found": (members) => {
    const tenant = text(members, "tenant")
    const of = tenant === undefined ? "" : ` of the tenant "${tenant}"`
    return `There is no ${text(members, "kind") ?? "such object"}${quoted(text(members, "id"))}${of}`
  },
  "directory-read": (members) => `The path${quoted(text(members, "path"))} is a folder, which has no content`,
  "storage-unreachable": (members) => `The ${text(members, "storage")} storage did not answer in time`,
  "too-large": (members) => {
    const limit = text(members, "limit")
    return limit === undefined ? "The request is too large" : `The limit ${limit} is ${text(members, "value")}`
  },
  "too-many": (members) => `The limit ${text(members, "limit")} is ${text(members, "value")}`,
  "range-not-satisfiable": (members) => `The range lies outside the ${text(members, "size")} bytes`,
  "method-not-allowed": () => "The path does not support this method; the Allow header lists the supported methods"
}

/** The default detail of a problem: one sentence about what happened. */
export const detailOf = (members: object): string => {
  const slug = (text(members, "type") ?? "").replace("/problems/", "")
  return sentences[slug]?.(members) ?? text(members, "title") ?? "The request failed"
}

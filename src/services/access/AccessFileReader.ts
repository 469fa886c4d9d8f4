import { Predicate, Result, Schema } from "effect"
import { readDocument, type SourceDocument, type SourceFile } from "../../languages/document/Document.ts"
import { type SchemaFault, schemaFaults } from "../../languages/SchemaFaults.ts"
import { suggestion, unknownName } from "../../languages/Suggest.ts"
import { strict } from "../shared/requests/RequestProblems.ts"
import { everyTenant, roles } from "../shared/security/Principal.ts"
import { type OwnPlace, overlapFault, parseRoot, rootNameFault } from "../shared/settings/RootRules.ts"
import { TenantName } from "../shared/Tenant.ts"
import { AccessFile } from "./AccessFile.ts"

/** Parsing this many tokens, those of some ten thousand users, takes about a quarter of a second. */
const maxTokens = 100_000

const decode = Schema.decodeUnknownResult(AccessFile, strict)
const isTenantName = Schema.is(TenantName)

/** The members of an object, the items of a list. */
const entries = (value: unknown): ReadonlyArray<readonly [string, unknown]> =>
  Predicate.isObjectOrArray(value) ? Object.entries(value) : []

const at = (value: unknown, path: ReadonlyArray<PropertyKey>): unknown =>
  path.reduce<unknown>((found, key) => entries(found).find(([name]) => name === String(key))?.[1], value)

/** Names are repeated in faults, but not what may be a piece of a hash that was not quoted. */
const isShowable = (name: string): boolean => /^[^$=]{1,128}$/.test(name)

/** Says what the schema cannot: which role may be meant, and what a name may be. */
const explained = (value: unknown, { path, detail, key }: SchemaFault): SchemaFault => {
  const [section, , member] = path
  const name = String(path.at(-1))
  if (key && !isShowable(name)) {
    const quote = /^[tp]=\d/.test(name) ? ": put the hash into quotes, as a comma ends a text in { }" : ""
    return { path, detail: `There is no such member here${quote}`, key }
  }
  if (key && section === "users" && path.length === 2) {
    return { path, detail: "A user's name has 1 to 128 characters, no colon and no control characters", key }
  }
  if (key && ((section === "tenants" && path.length === 2) || (member === "roles" && path.length === 4))) {
    const all = section === "tenants" ? "" : ', or "*" for all tenants'
    return { path, detail: `Expected a tenant name: at most 63 letters, digits, ".", "_" and "-"${all}`, key }
  }
  if (key && section === "tenants" && member === "roots" && path.length === 4) {
    return { path, detail: rootNameFault(name) ?? detail, key }
  }
  const given = at(value, path)
  if (typeof given === "string" && (member === "roles" ? path.length === 4 || name === "role" : false)) {
    return { path, detail: `There is no such role: there is ${roles.join(", ")}${suggestion(given, roles)}` }
  }
  return { path, detail, ...(key && { key }) }
}

/** Roles for tenants that the file does not list. */
const unlistedTenants = (value: unknown): ReadonlyArray<SchemaFault> => {
  const tenants = at(value, ["tenants"])
  if (!Predicate.isObject(tenants)) return []
  const names = Object.keys(tenants)
  const isUnlisted = (name: string) => name !== everyTenant && isTenantName(name) && !names.includes(name)
  const detail = (name: string) => unknownName(name, names, "in `tenants`")
  const granted = entries(at(value, ["users"])).flatMap(([user, given]) =>
    entries(at(given, ["roles"]))
      .filter(([name]) => isUnlisted(name))
      .map(([name]): SchemaFault => ({ path: ["users", user, "roles", name], detail: detail(name), key: true }))
  )
  const mapped = entries(at(value, ["issuers"])).flatMap(([issuer, given]) =>
    entries(at(given, ["roles"])).flatMap(([index, rule]) => {
      const name = at(rule, ["tenant"])
      if (typeof name !== "string" || !isUnlisted(name)) return []
      return [{ path: ["issuers", Number(issuer), "roles", Number(index), "tenant"], detail: detail(name) }]
    })
  )
  return [...granted, ...mapped]
}

/** Roots that would open what the gateway keeps for itself. */
const openingRoots = (file: AccessFile, own: ReadonlyArray<OwnPlace>): ReadonlyArray<SchemaFault> =>
  Object.entries(file.tenants ?? {}).flatMap(([tenant, { roots = {} }]) =>
    Object.entries(roots).flatMap(([name, text]): ReadonlyArray<SchemaFault> => {
      const root = text === null ? undefined : parseRoot(text)
      const detail = root !== undefined && Result.isSuccess(root) ? overlapFault(root.success.path, own) : undefined
      return detail === undefined ? [] : [{ path: ["tenants", tenant, "roots", name], detail }]
    })
  )

/**
 * A fault of the YAML without the texts that it quotes: one of them may be a password, written where its hash belongs.
 */
const unquoted = (detail: string): string => detail.replaceAll(/"(?:[^"\\]|\\.)*"|'[^']*'|[&*!%\\]\S+|(?<=: ).*/gs, "…")

const linesOf = (document: SourceDocument, faults: ReadonlyArray<SchemaFault>): ReadonlyArray<string> => {
  const placed = faults.map(({ path, detail, key }) => {
    const names = path.map((part) => (isShowable(String(part)) ? String(part) : "…"))
    const where = names.length === 0 ? "" : `${names.join(".")}: `
    return { ...document.position(path, key ? "key" : "value"), text: where + detail }
  })
  placed.sort((one, other) => one.line - other.line || one.column - other.column)
  return [...new Set(placed.map(({ line, column, text }) => `${line}:${column} ${text}`))]
}

/**
 * Reads an access file, or tells all its faults as `line:column what`. No fault repeats a value that may be secret. No
 * root may open one of `own`, the gateway's places.
 */
export const readAccessFile = (
  file: SourceFile,
  own: ReadonlyArray<OwnPlace> = []
): Result.Result<AccessFile, ReadonlyArray<string>> => {
  const document = readDocument(file, { maxTokens })
  if (Result.isFailure(document)) {
    return Result.fail(
      document.failure.map(({ line, column, detail }) => {
        const place = line === undefined ? "" : `${line}:${column} `
        return place + unquoted(detail)
      })
    )
  }
  const { value } = document.success
  const decoded = decode(value)
  const faults = [
    ...(Result.isFailure(decoded) ? schemaFaults(decoded.failure.issue).map((fault) => explained(value, fault)) : []),
    ...(Result.isSuccess(decoded) ? openingRoots(decoded.success, own) : []),
    ...unlistedTenants(value)
  ]
  return Result.isSuccess(decoded) && faults.length === 0
    ? Result.succeed(decoded.success)
    : Result.fail(linesOf(document.success, faults))
}

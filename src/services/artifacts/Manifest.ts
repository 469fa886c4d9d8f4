import { Predicate, Result, Schema, SchemaIssue } from "effect"
import { BadRequest, type Issue } from "../../errors/BadRequest.ts"
import { readDocument, type SourceDocument } from "../../languages/document/Document.ts"
import { pointerOf } from "../../languages/document/Pointer.ts"
import { ArtifactName, ArtifactVersion, artifactTypes, described, GroupName } from "./Artifact.ts"
import { versionPattern } from "./VersionKey.ts"

/** Parsing so much takes up to 50 ms, during which the event loop is blocked. */
const size = { maxTokens: 40_000, maxValues: 40_000 }

const words = /^[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*$/
const word = /^[A-Za-z0-9][A-Za-z0-9._-]*$/

const Group = Schema.String.check(
  Schema.isPattern(words, { expected: "dotted words of letters, digits, `_` and `-`" }),
  Schema.isMaxLength(255)
).pipe(Schema.fromBrand("GroupName", GroupName))
const Name = Schema.String.check(
  Schema.isPattern(word, { expected: "a name of letters, digits, `.`, `_` and `-`" }),
  Schema.isMaxLength(128)
).pipe(Schema.fromBrand("ArtifactName", ArtifactName))
const Version = Schema.String.check(
  Schema.isPattern(versionPattern, { expected: "a version of letters, digits, `.`, `_`, `+`, `~` and `-`" })
).pipe(Schema.fromBrand("ArtifactVersion", ArtifactVersion))

/** The manifest of an upload. Unknown members, such as a storage location, are ignored. */
const Manifest = Schema.Struct({
  group: Group,
  artifact: Name,
  version: Version,
  type: Schema.Literals(artifactTypes),
  ...described,
  size: Schema.optionalKey(Schema.Int),
  sha256: Schema.optionalKey(Schema.String)
})
export type Manifest = typeof Manifest.Type

const people = new Set(["name", "email"])
const links = new Set(["name", "url"])
const texts = new Set(["group", "artifact", "version", "type", "description", "displayName", "readme", "sha256"])
const lists = new Set(["keywords", "changelog", "flowVersionCompatible"])

/** The literal as it stands in the source: a version written `1.10` must not become the number 1.1. */
const literalAt = (
  document: SourceDocument,
  lines: ReadonlyArray<string>,
  path: ReadonlyArray<PropertyKey>
): string => {
  const { line, column } = document.position(path)
  return /^[^\s,#\]}]+/.exec((lines[line - 1] ?? "").slice(column - 1))?.[0] ?? ""
}

/** The manifest as a plain object: scalars become strings where a string is expected, and null members are dropped. */
const textual = (document: SourceDocument, lines: ReadonlyArray<string>): Record<string, unknown> => {
  const text = (value: unknown, path: ReadonlyArray<PropertyKey>): unknown => {
    if (typeof value !== "number" && typeof value !== "boolean") return value
    const literal = literalAt(document, lines, path)
    return literal === "" || /^[*&!]/.test(literal) ? String(value) : literal
  }
  const members = (value: unknown, names: ReadonlySet<string>, path: ReadonlyArray<PropertyKey>): unknown =>
    Predicate.isObject(value)
      ? Object.fromEntries(
          Object.entries(value).flatMap(([name, inner]) =>
            names.has(name) && inner !== null ? [[name, text(inner, [...path, name])]] : []
          )
        )
      : value
  const each = (
    value: unknown,
    name: string,
    convert: (inner: unknown, path: ReadonlyArray<PropertyKey>) => unknown
  ) => (Array.isArray(value) ? value.map((inner, index) => convert(inner, [name, index])) : value)
  const changed = Object.entries(document.value).flatMap(([name, value]): ReadonlyArray<readonly [string, unknown]> => {
    if (value === null) return []
    if (texts.has(name)) return [[name, text(value, [name])]]
    if (lists.has(name)) return [[name, each(value, name, text)]]
    if (name === "links") return [[name, each(value, name, (inner, path) => members(inner, links, path))]]
    if (name === "maintainers") return [[name, each(value, name, (inner, path) => members(inner, people, path))]]
    if (name === "provider") return [[name, members(value, people, [name])]]
    return name === "size" || name === "properties" ? [[name, value]] : []
  })
  return Object.fromEntries(changed)
}

const issuesOf = SchemaIssue.makeFormatterStandardSchemaV1({
  leafHook: (issue) => (issue._tag === "MissingKey" ? "This is required" : SchemaIssue.defaultLeafHook(issue))
})

const refused = (issues: ReadonlyArray<Issue>) =>
  new BadRequest({
    detail: "The manifest is invalid",
    issues: issues.slice(0, 100).map((issue) => ({ part: "manifest", ...issue }))
  })

/**
 * Reads the `manifest` part (YAML, HJSON or JSON). Reports all faults at once, each with its position. What it says of
 * the build is compared with `build`, if that is given.
 */
export const readManifest = (
  bytes: Uint8Array,
  filename: string | undefined,
  build?: { readonly size: number; readonly sha256: string }
): Result.Result<Manifest, BadRequest> => {
  const document = readDocument({ bytes, name: filename }, size)
  if (Result.isFailure(document)) return Result.fail(refused(document.failure))
  const lines = new TextDecoder().decode(bytes).split("\n")
  const decoded = Schema.decodeUnknownResult(Manifest, { errors: "all" })(textual(document.success, lines))
  if (Result.isFailure(decoded)) {
    const { issues } = issuesOf(decoded.failure.issue)
    return Result.fail(
      refused(
        issues.map(({ message, path = [] }) => {
          const keys = path.map((part) => (typeof part === "object" ? part.key : part))
          return { pointer: pointerOf(keys), detail: message, ...document.success.position(keys) }
        })
      )
    )
  }
  const manifest = decoded.success
  if (build === undefined) return Result.succeed(manifest)
  const lies: Array<Issue> = []
  if (manifest.size !== undefined && manifest.size !== build.size) {
    lies.push({
      pointer: "/size",
      detail: `The build has ${build.size} bytes, not the declared size`,
      ...document.success.position(["size"])
    })
  }
  if (manifest.sha256 !== undefined && manifest.sha256.toLowerCase() !== build.sha256) {
    const detail = `The SHA-256 of the build is ${build.sha256}`
    lies.push({ pointer: "/sha256", detail, ...document.success.position(["sha256"]) })
  }
  return lies.length > 0 ? Result.fail(refused(lies)) : Result.succeed(manifest)
}

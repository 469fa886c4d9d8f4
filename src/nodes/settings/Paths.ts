import { Schema } from "effect"

/** Why a text is not a valid relative path, or `undefined` when it is. */
export const pathFault = (path: string): string | undefined => {
  if (path === "") return "the path is empty"
  if (path.length > 1024) return "the path is longer than 1024 characters"
  // Control characters hide in listings and terminals; a backslash is a separator for some unzip programs.
  if (/[\u0000-\u001f\u007f-\u009f\u2028\u2029\\]/.test(path)) return "the path has a control character or a backslash"
  if (!path.isWellFormed()) return "the path is not well-formed Unicode"
  if (path.startsWith("/") || /^[A-Za-z]:/.test(path)) return "the path must be relative"
  for (const segment of path.split("/")) {
    if (segment === "") return "the path has an empty segment"
    if (segment === "." || segment === "..") return `the path must not contain "${segment}"`
  }
  return undefined
}

const segment = "(?!\\.{1,2}(?:/|$))[^\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029\\ud800-\\udfff\\\\/]+"
/** {@link pathFault} as a regular expression, for programs that check settings by their JSON Schema. */
export const pathPattern = new RegExp(`^(?![A-Za-z]:)${segment}(?:/${segment})*$`, "u")

/** A relative path that stays below its folder. */
const RelativePath = Schema.String.check(
  Schema.makeFilter(pathFault, {
    expected: "a relative path",
    toJsonSchema: () => [{ minLength: 1, maxLength: 1024, pattern: pathPattern.source }, true]
  })
)

/** A setting that is a relative path. */
export const relativePath = (description: string) => RelativePath.annotate({ description })

/** Converts a component's name to a file name. */
export const fileName = (component: string): string => {
  const name = component.toWellFormed().replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029\\/:]/g, "_")
  return name === "." || name === ".." ? name.replaceAll(".", "_") : name
}

/** How a file is compressed, by its name. */
export const compressionOf = (path: string): "gzip" | "zstd" | undefined =>
  path.endsWith(".gz") ? "gzip" : path.endsWith(".zst") ? "zstd" : undefined

/** The extension in lower case without the dot; a final `.gz` or `.zst` is ignored. */
export const extensionOf = (path: string): string =>
  /\.([a-z0-9]+)$/.exec(path.toLowerCase().replace(/\.(gz|zst)$/, ""))?.[1] ?? ""

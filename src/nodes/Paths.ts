import { Schema } from "effect"

/** Why a text cannot be the name of a file below a folder, or `undefined` when it can. */
const pathFault = (path: string): string | undefined => {
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

/** A relative path that stays below its folder. */
export const RelativePath = Schema.String.check(
  Schema.makeFilter(pathFault, {
    expected: "a relative path",
    // Looser than the check; a check without any counterpart would take a setting's description with it.
    toJsonSchema: () => [{ minLength: 1, maxLength: 1024 }, true]
  })
)

/** The same as a setting. */
export const relativePath = (description: string) => RelativePath.annotate({ description })

/** A component's name as a file name. */
export const fileName = (component: string): string => {
  const name = component.toWellFormed().replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029\\/:]/g, "_")
  return name === "." || name === ".." ? name.replaceAll(".", "_") : name
}

/** The extension in lower case without the dot; `.gz` is passed over. */
export const extensionOf = (path: string): string =>
  /\.([a-z0-9]+)$/.exec(path.toLowerCase().replace(/\.gz$/, ""))?.[1] ?? ""

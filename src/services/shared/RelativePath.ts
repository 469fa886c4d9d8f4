import { Context, Schema } from "effect"

const forbidden = /[\u0000-\u001f\u007f\\]/
const maxSegmentBytes = 255

const fault = (path: string): string | undefined => {
  if (path.length > 4096) return "a path of at most 4096 characters"
  if (forbidden.test(path)) return "a path without control characters and backslashes"
  for (const segment of path.split("/")) {
    if (segment === "" || segment === "." || segment === "..") return "a path without empty, `.` and `..` segments"
    // A character takes at most four bytes in UTF-8, so most segments can be accepted without encoding them.
    if (segment.length * 4 > maxSegmentBytes && new TextEncoder().encode(segment).length > maxSegmentBytes) {
      return `a path whose segments have at most ${maxSegmentBytes} bytes`
    }
  }
  return undefined
}

const below = (pathOf: (given: string) => string) =>
  Schema.makeFilter((given: string) => {
    const expected = fault(pathOf(given))
    return expected === undefined ? undefined : `Expected ${expected}`
  })

/**
 * A relative path below a folder: segments separated by `/`, without empty, `.` and `..` segments, control characters
 * and backslashes.
 */
export const RelativePath = Schema.String.check(below((path) => path)).annotate({
  identifier: "RelativePath",
  description: "Relative path; segments are separated by /"
})

/** The path without its optional trailing slash. */
export const withoutSlash = (path: string): string => path.replace(/\/$/, "")

/** A {@link RelativePath} with an optional trailing slash. */
export const FolderPath = Schema.String.check(below(withoutSlash)).annotate({
  identifier: "FolderPath",
  description: "Relative path; segments are separated by /; a trailing / is optional"
})

/**
 * Marks an endpoint whose last path parameter may span several segments. Clients send its slashes encoded; the server
 * also accepts plain slashes, which are easier to type with curl.
 */
export const SpansSegments = Context.Reference<boolean>("flow/shared/SpansSegments", { defaultValue: () => false })

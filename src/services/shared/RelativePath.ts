import { Context, Schema } from "effect"

const forbidden = /[\u0000-\u001f\u007f\\]/
const maxSegmentBytes = 255

const fault = (path: string): string | undefined => {
  if (path.length > 4096) return "a path of at most 4096 characters"
  if (forbidden.test(path)) return "a path without control characters and backslashes"
  for (const segment of path.split("/")) {
    if (segment === "" || segment === "." || segment === "..") return "a path without empty, `.` and `..` segments"
    // A character has at most four bytes in UTF-8, so most segments need no encoding to be known as short enough.
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
 * A path below some folder: segments separated by `/`, none of which climbs, is empty, or holds a control character.
 */
export const RelativePath = Schema.String.check(below((path) => path)).annotate({
  identifier: "RelativePath",
  description: "Path with / between its segments"
})

/** The path without the slash that may stand at its end. */
export const withoutSlash = (path: string): string => path.replace(/\/$/, "")

/** The same, with a slash at the end or without. */
export const FolderPath = Schema.String.check(below(withoutSlash)).annotate({
  identifier: "FolderPath",
  description: "Path with / between its segments, and at its end if one likes"
})

/**
 * Marks an endpoint whose last path parameter may span several segments. Clients send its slashes encoded; for people
 * with curl the server accepts them bare as well.
 */
export const SpansSegments = Context.Reference<boolean>("flow/shared/SpansSegments", { defaultValue: () => false })

import { Schema } from "effect"
import { text } from "./Parameters.ts"

const forbidden = /[\u0000-\u001f\u007f\\]/
const maxSegmentBytes = 255

/** What is expected instead of a text that is no relative path; undefined for one that is. */
export const pathFault = (path: string): string | undefined => {
  if (path.startsWith("/")) return "a path without a slash at its beginning, such as `folder/file`"
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
    const expected = pathFault(pathOf(given))
    return expected === undefined ? undefined : `Expected ${expected}`
  })

/**
 * A relative path below a folder: segments separated by `/`, without empty, `.` and `..` segments, control characters
 * and backslashes.
 */
export const RelativePath = Schema.String.check(below((path) => path))

const segment = String.raw`(?!\.{1,2}(?:/|$))[^/\\\u0000-\u001f\u007f]+`

/** What OpenAPI says of a relative path. The limit of a segment, 255 bytes, cannot be said by a pattern. */
const pathValue = (end: string) => ({ maxLength: 4096, pattern: `^${segment}(?:/${segment})*${end}$` })

/** A {@link RelativePath} in a URL. */
export const relativePath = (description: string, example: string) =>
  text(
    { description: `${description}; segments are separated by /, which may be sent as it is or as %2F`, example },
    pathValue("")
  ).check(below((path) => path))

/** The path without its optional trailing slash. */
export const withoutSlash = (path: string): string => path.replace(/\/$/, "")

/** A {@link RelativePath} with an optional trailing slash. */
export const folderPath = (description: string, example: string) =>
  text(
    { description: `${description}; segments are separated by /; a trailing / is optional`, example },
    pathValue("/?")
  ).check(below(withoutSlash))

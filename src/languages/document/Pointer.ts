import { JsonPointer } from "effect"

/** The keys of a JSON pointer (RFC 6901). */
export const pathOf = (pointer: string): ReadonlyArray<string> =>
  pointer.split("/").slice(1).map(JsonPointer.unescapeToken)

/** The JSON pointer of a path. */
export const pointerOf = (path: ReadonlyArray<PropertyKey>): string =>
  path.map((key) => `/${JsonPointer.escapeToken(String(key))}`).join("")

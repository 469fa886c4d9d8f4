import { lstat, readdir } from "node:fs/promises"
import { join } from "node:path"

/** Characters that no path has: control characters and backslashes. */
export const odd = /[\u0000-\u001f\u007f\\]/

/** A file whose name cannot be in a path: how it is shown, always with a backslash, and where it is. */
export interface OddFile {
  readonly shown: string
  readonly at: string | Buffer
}

const known: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t", "\\": "\\\\" }

/** A name with its odd characters escaped, so that messages and lists keep it in one line. */
export const escaped = (name: string): string =>
  name.replace(
    new RegExp(odd, "g"),
    (character) => known[character] ?? `\\x${character.charCodeAt(0).toString(16).padStart(2, "0")}`
  )

/** {@link escaped} for a name in bytes, of which those that are not UTF-8 become `\xff`. */
const escapedBytes = (bytes: Buffer): string => {
  let text = ""
  for (let at = 0; at < bytes.length; ) {
    const length = [1, 2, 3, 4].find((count) => !bytes.toString("utf8", at, at + count).includes("\ufffd")) ?? 0
    text += length === 0 ? `\\x${bytes[at]!.toString(16)}` : escaped(bytes.toString("utf8", at, at + length))
    at += length || 1
  }
  return text
}

/**
 * The file of an entry of a folder if its path is odd: `real` is the folder, `path` the path in the root. Node gives
 * names that are not UTF-8 with U+FFFD, by which there is no file.
 */
export const oddFile = async (real: string, name: string, path: string): Promise<OddFile | undefined> => {
  if (path.includes("\ufffd") && (await lstat(join(real, name)).catch(() => undefined)) === undefined) {
    const names = await readdir(real, { encoding: "buffer" })
    const bytes = names.find((other) => other.toString() === name)
    if (bytes === undefined) return undefined
    const folder = escaped(path.slice(0, path.length - name.length))
    return { shown: folder + escapedBytes(bytes), at: Buffer.concat([Buffer.from(`${real}/`), bytes]) }
  }
  return odd.test(path) ? { shown: escaped(path), at: join(real, name) } : undefined
}

/** Why a file with such a name is not read, after how it is shown. */
export const oddReason =
  "has control characters, backslashes or bytes that are not UTF-8 in its path, which none may have: rename it, or name the others by a pattern"

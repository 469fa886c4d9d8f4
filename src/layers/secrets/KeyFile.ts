import { Redacted, Result } from "effect"
import * as Base64 from "effect/encoding/Base64"

/** A key of the file: its id, which is stored with what it encrypts, and its 32 bytes. */
export interface KeyLine {
  readonly id: string
  readonly bytes: Redacted.Redacted<Uint8Array>
}

export const keyBytes = 32
const mostKeys = 100
const idPattern = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/

const lineOf = (text: string, seen: Map<string, number>, line: number): Result.Result<KeyLine, string> => {
  const at = text.indexOf(":")
  if (at === -1) return Result.fail("expected <key id>:<32 bytes in base64>, as flow-gateway new-secrets-key prints it")
  const id = text.slice(0, at).trim()
  if (!idPattern.test(id))
    return Result.fail("the key id must have 1 to 64 letters, digits, ., _ and -, a letter or digit first")
  const before = seen.get(id)
  if (before !== undefined) return Result.fail(`the key id ${id} is that of line ${before}`)
  seen.set(id, line)
  const bytes = Base64.decode(text.slice(at + 1).trim())
  if (Result.isFailure(bytes)) return Result.fail(`the key ${id} is not base64`)
  const { length } = bytes.success
  if (length !== keyBytes) return Result.fail(`the key ${id} has ${length} bytes, expected ${keyBytes}`)
  return Result.succeed({ id, bytes: Redacted.make(bytes.success) })
}

/**
 * Reads a file of keys: `<key id>:<base64>` a line; empty lines and those that begin with `#` are left out. Fails with
 * all faults, which contain no part of a key.
 */
export const parseKeyFile = (text: string): Result.Result<ReadonlyArray<KeyLine>, string> => {
  const keys: Array<KeyLine> = []
  const faults: Array<string> = []
  const seen = new Map<string, number>()
  text.split(/\r?\n/).forEach((content, index) => {
    if (content.trim() === "" || content.startsWith("#")) return
    const key = lineOf(content, seen, index + 1)
    if (Result.isSuccess(key)) keys.push(key.success)
    else faults.push(`line ${index + 1}: ${key.failure}`)
  })
  if (faults.length > 0) return Result.fail(faults.slice(0, 20).join("; "))
  if (keys.length === 0) return Result.fail("it has no key: flow-gateway new-secrets-key prints one")
  return keys.length > mostKeys ? Result.fail(`it has more than ${mostKeys} keys`) : Result.succeed(keys)
}

/** The line of a key, as it stands in the file. */
export const keyLine = (id: string, bytes: Uint8Array): string => `${id}:${Base64.encode(bytes)}`

import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import { Console, Effect, Stdio, Stream } from "effect"
import { Command } from "effect/cli"
import { hashPassword, maxPasswordBytes } from "../../services/access/PasswordHash.ts"

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })
const newline = 10

/**
 * The first line of standard input. Reads no more than the maximum length of a password, because the input may be
 * endless.
 */
const firstLine = Effect.gen(function* () {
  const { stdin } = yield* Stdio.Stdio
  const bytes: Array<number> = []
  yield* Stream.runForEachWhile(stdin, (chunk) =>
    Effect.sync(() => {
      const end = chunk.indexOf(newline)
      bytes.push(...chunk.subarray(0, Math.min(end === -1 ? chunk.length : end, maxPasswordBytes + 2 - bytes.length)))
      return end === -1 && bytes.length < maxPasswordBytes + 2
    })
  )
  // A terminal or pipe that stays open would keep this process.
  process.stdin.destroy()
  if (bytes.at(-1) === 13) bytes.pop()
  if (bytes.length === 0) return yield* Effect.fail("expected a password on standard input")
  if (bytes.length > maxPasswordBytes) {
    return yield* Effect.fail(`expected a password of at most ${maxPasswordBytes} bytes`)
  }
  return yield* Effect.try({ try: () => utf8.decode(Uint8Array.from(bytes)), catch: () => "expected UTF-8" })
})

/** Reads the password from standard input, so that it appears in no process list and no shell history. */
export const command = Command.make(
  "hash-password",
  {},
  Effect.fnUntraced(function* () {
    yield* Console.log(yield* hashPassword(yield* firstLine))
  }, Effect.provide(NodeCrypto.layerKdf))
).pipe(Command.withDescription("Reads a password from standard input and prints its hash for the access file"))

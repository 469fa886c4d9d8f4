import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import { Console, Effect, Stdio, Stream } from "effect"
import { Command } from "effect/cli"
import { hashPassword } from "../../services/access/PasswordHash.ts"

const firstLine = Effect.flatMap(Stdio.Stdio, ({ stdin }) =>
  Effect.map(Stream.mkString(Stream.decodeText(stdin)), (text) => text.split(/\r?\n/, 1)[0] ?? "")
)

/** Reads a password from standard input, so that it is in no list of processes and no shell history. */
export const command = Command.make(
  "hash-password",
  {},
  Effect.fnUntraced(function* () {
    const password = yield* firstLine
    if (password === "") return yield* Effect.fail("expected a password on standard input")
    yield* Console.log(yield* hashPassword(password))
  }, Effect.provide(NodeCrypto.layerKdf))
).pipe(Command.withDescription("Reads a password from standard input and prints its hash for the access file"))

import { Console, Effect } from "effect"
import { Command } from "effect/cli"
import * as Hex from "effect/encoding/Hex"
import { keyBytes, keyLine } from "../secrets/KeyFile.ts"

/**
 * Prints a line for the file of `FLOW_SECRETS_KEY_FILE`. Its id begins with the date, to show which key is the latest.
 */
export const command = Command.make(
  "new-secrets-key",
  {},
  Effect.fnUntraced(function* () {
    const random = (bytes: number) => crypto.getRandomValues(new Uint8Array(bytes))
    const id = `${new Date().toISOString().slice(0, 10)}-${Hex.encode(random(3))}`
    yield* Console.log(keyLine(id, random(keyBytes)))
  })
).pipe(Command.withDescription("Prints a new key for the file that FLOW_SECRETS_KEY_FILE names"))

import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { PersistenceError } from "effect/cluster/ClusterError"
import * as MessageStorage from "effect/cluster/MessageStorage"
import { rereading } from "../../src/layers/cluster/Messages.ts"

it.effect("messages whose read got no response are read again", () =>
  Effect.gen(function* () {
    const calls: Array<string> = []
    let isAway = false
    const answer = (name: string) =>
      Effect.suspend(() => {
        calls.push(name)
        return isAway ? Effect.fail(new PersistenceError({ cause: "away" })) : Effect.void
      })
    const storage = rereading({
      ...MessageStorage.noop,
      unprocessedMessages: () => Effect.as(answer("read"), []),
      resetShards: () => answer("reset")
    })
    const read = Effect.exit(storage.unprocessedMessages([]))
    yield* read
    expect(calls).toEqual(["read"])
    isAway = true
    yield* read
    yield* read
    expect(calls).toEqual(["read", "read", "reset"])
    isAway = false
    yield* read
    expect(calls).toEqual(["read", "read", "reset", "reset", "read"])
  })
)

import { expect, it } from "@effect/vitest"
import { Effect, Layer, Stream } from "effect"
import { TestClock } from "effect/testing"
import { Passwords } from "../../src/layers/access/Passwords.ts"
import { AccessRules } from "../../src/services/access/AccessRules.ts"
import { hashOf } from "./accessFiles.ts"

const hour = 3_600_000
const start = 1_700_000_000_000

const file = { users: { alice: { password: hashOf("wonder"), roles: { "*": "viewer" as const } } } }
const passwords = Passwords.layer.pipe(
  Layer.provide(Layer.succeed(AccessRules, { current: () => file, changes: Stream.succeed(file), faulty: () => false }))
)

it.effect("a clock that is turned back neither shuts out an address nor keeps a password known for longer", () =>
  Effect.gen(function* () {
    yield* TestClock.setTime(start)
    const { known, verify } = yield* Passwords
    expect(yield* Effect.flip(verify("wrong", "alice", "land", "10.0.0.7"))).toMatchObject({ _tag: "Unauthorized" })
    yield* TestClock.setTime(start - hour)
    const alice = yield* verify("right", "alice", "wonder", "10.0.0.7")
    expect(known("right")).toEqual(alice)
    yield* TestClock.setTime(start - 2 * hour)
    yield* TestClock.adjust("2 minutes")
    expect(known("right")).toBe(undefined)
  }).pipe(Effect.provide(passwords), Effect.scoped)
)

import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { leaseUser, type UserLease } from "../../src/drivers/isolation/UserLease.ts"
import { eventually, runFile } from "../support/process.ts"
import { range } from "./holder.ts"

const holder = new URL("./holder.ts", import.meta.url)

describe.skipIf(process.platform !== "linux")("users of programs", () => {
  it.live("belong to one program of the machine each, and are free when their process is killed", () =>
    Effect.gen(function* () {
      const other = runFile(holder, [])
      const taken = Number((yield* Effect.promise(() => other.line("holds "))).split(" ")[1])
      yield* Effect.addFinalizer(() => Effect.sync(() => other.process.kill("SIGKILL")))
      const leases: Array<UserLease> = []
      let refusal: unknown
      while (refusal === undefined) {
        yield* Effect.promise(() =>
          leaseUser(range).then(
            (lease) => leases.push(lease),
            (error: unknown) => (refusal = error)
          )
        )
      }
      const users = leases.map(({ user }) => user)
      expect([taken, ...users].toSorted()).toEqual([900_001, 900_002, 900_003, 900_004, 900_005])
      expect(String(refusal)).toContain("users for isolated programs are taken")
      other.process.kill("SIGKILL")
      yield* Effect.promise(() => other.exit)
      const freed = yield* Effect.promise(() => leaseUser(range))
      expect(freed.user).toBe(taken)
      // What is released can be had again.
      for (const { release } of [...leases, freed]) release()
      yield* Effect.promise(() =>
        eventually("a user is free", () =>
          leaseUser(range).then(
            ({ release }) => {
              release()
              return true
            },
            () => false
          )
        )
      )
    })
  )
})

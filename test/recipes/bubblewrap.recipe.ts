import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { isolationParts } from "../../src/protocol/Isolation.ts"
import { asOrdinary, attempts, on, othersHavePython } from "../isolation/machines.ts"
import { allRefused } from "../isolation/victim.ts"

describe("bubblewrap, where Python does not make the namespaces itself", () => {
  it.live("isolates Python of root in all parts", () =>
    Effect.gen(function* () {
      const { bubblewrap, outcomes, parts } = yield* on([], attempts, "bubblewrap")
      expect(parts).toEqual(isolationParts)
      expect(bubblewrap).toMatch(/\/bwrap$/)
      allRefused(outcomes)
    })
  )

  it.live.skipIf(!othersHavePython)("isolates Python of an ordinary user", () =>
    Effect.gen(function* () {
      const { outcomes, parts } = yield* on(asOrdinary, attempts, "bubblewrap")
      expect(parts).toEqual(isolationParts.filter((part) => part !== "user"))
      allRefused(outcomes)
    })
  )
})

import { existsSync } from "node:fs"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { isolationParts } from "../../src/protocol/Isolation.ts"
import { asOrdinary, attempts, on, othersHavePython, systemPython, withoutAdmin } from "./machines.ts"
import { allRefused, hasPython, hiddenPowers, isRoot } from "./victim.ts"

describe.skipIf(!hasPython || process.platform !== "linux")("isolation on machines of all sorts", () => {
  it.live.skipIf(!isRoot)("has all parts for root", () =>
    Effect.gen(function* () {
      const { missing, outcomes, parts } = yield* on([], attempts)
      expect([parts, missing]).toEqual([isolationParts, []])
      allRefused(outcomes)
    })
  )

  it.live.skipIf(!isRoot || !["/usr/share/doc", "/usr/lib/os-release"].every((path) => existsSync(path)))(
    "hides what an operator keeps below the folders of the system",
    () =>
      Effect.gen(function* () {
        const { outcomes } = yield* on([], () => [
          ["folder", "names", "/usr/share/doc"],
          ["file", "read", "/usr/lib/os-release"],
          ["others", "names", "/usr/share"]
        ])
        expect(outcomes).toEqual({
          folder: "",
          file: "read 0 bytes of /usr/lib/os-release",
          others: expect.stringContaining("doc")
        })
      })
  )

  it.live.skipIf(!othersHavePython)("has all parts but a user of its own for an ordinary user", () =>
    Effect.gen(function* () {
      const { failure, missing, outcomes, parts } = yield* on(asOrdinary, attempts)
      expect([failure, parts]).toEqual([undefined, isolationParts.filter((part) => part !== "user")])
      expect(missing).toEqual([{ part: "user", reason: "only root can change the user" }])
      allRefused(outcomes)
    })
  )

  it.live.skipIf(!othersHavePython)("has no namespaces, but another user, for root without them", () =>
    Effect.gen(function* () {
      const { failure, missing, outcomes, parts } = yield* on([...withoutAdmin, "env", `PATH=${systemPython}`], () => [
        ["gateway", "kill", process.pid],
        ["shadow", "read", "/etc/shadow"],
        ["environment", "read", `/proc/${process.pid}/environ`],
        ["root", "become_root"],
        ["mount", "mount"],
        ...hiddenPowers
      ])
      expect([failure, parts]).toEqual([undefined, ["user", "privileges"]])
      expect(missing.map(({ part }) => part).toSorted()).toEqual(["files", "network", "processes"])
      expect(missing[0]?.reason).toBe("unshare: Operation not permitted")
      allRefused(outcomes)
    })
  )

  it.live.skipIf(!isRoot)("says what is missing where there is nothing", () =>
    Effect.gen(function* () {
      const { failure, missing, outcomes, parts } = yield* on(
        ["setpriv", "--bounding-set=-sys_admin,-setuid,-setgid,-chown"],
        () => hiddenPowers
      )
      allRefused(outcomes)
      expect([failure, parts]).toEqual([undefined, ["privileges"]])
      expect(missing.map(({ part }) => part).toSorted()).toEqual(["files", "network", "processes", "user"])
    })
  )
})

import { spawnSync } from "node:child_process"
import { chmodSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { isolationParts } from "../../src/protocol/Isolation.ts"
import { runFile } from "../support/process.ts"
import { temporary } from "../support/process-gateway.ts"
import type { Said } from "./machine.ts"
import { type Attempt, allRefused, flowline, hasPython, hostile, isRoot, outcomesOf } from "./victim.ts"

const machine = new URL("./machine.ts", import.meta.url)
const withoutNamespaces = ["/bin/sh", fileURLToPath(new URL("../postgres/without-namespaces.sh", import.meta.url))]
const ordinary = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
const withoutAdmin = ["setpriv", "--bounding-set=-sys_admin"]

const runs = (command: ReadonlyArray<string>) =>
  isRoot && spawnSync(command[0]!, command.slice(1), { cwd: "/", stdio: "ignore" }).status === 0

/** Whether another user than root can run this clone's files and find a Python. */
const othersPass = runs([
  ...ordinary,
  process.execPath,
  "-e",
  `require("node:fs").accessSync(${JSON.stringify(machine.pathname)})`
])
const systemPython = "/usr/bin:/bin"
const othersHavePython =
  othersPass && runs([...ordinary, "env", `PATH=${systemPython}`, "python3", "-c", "import ctypes"])
const hasBubblewrap = spawnSync("bwrap", ["--version"], { stdio: "ignore" }).status === 0

/** Runs the attempts in a process on such a machine. */
const on = Effect.fnUntraced(function* (
  through: ReadonlyArray<string>,
  attempts: (folder: string) => ReadonlyArray<Attempt>,
  makers = "python"
) {
  const folder = yield* temporary
  const work = join(folder, "work")
  writeFileSync(join(folder, "secret.txt"), "of the gateway")
  chmodSync(folder, 0o777)
  const running = runFile(machine, [work, makers, flowline(attempts(folder)), hostile], { through })
  const line = yield* Effect.promise(() => running.line("said "))
  const said = JSON.parse(line.slice("said ".length)) as Said
  return { ...said, outcomes: outcomesOf(said.printed) }
})

const attempts = (folder: string): ReadonlyArray<Attempt> => [
  ["secret", "read", join(folder, "secret.txt")],
  ["write", "write", join(folder, "hostile")],
  ["gateway", "kill", process.pid],
  ["outside", "connect", "192.0.2.1", 80],
  ["root", "become_root"],
  ["mount", "mount"]
]

describe.skipIf(!hasPython || process.platform !== "linux")("isolation on machines of all sorts", () => {
  it.live.skipIf(!isRoot)("has all parts for root", () =>
    Effect.gen(function* () {
      const { missing, outcomes, parts } = yield* on([], attempts)
      expect([parts, missing]).toEqual([isolationParts, []])
      allRefused(outcomes)
    })
  )

  it.live.skipIf(!isRoot || !hasBubblewrap)("has all parts for root through bubblewrap", () =>
    Effect.gen(function* () {
      const { bubblewrap, outcomes, parts } = yield* on([], attempts, "bubblewrap")
      expect(parts).toEqual(isolationParts)
      expect(bubblewrap).toMatch(/\/bwrap$/)
      allRefused(outcomes)
    })
  )

  const asOrdinary = [...ordinary, "env", `PATH=${systemPython}`]
  it.live.skipIf(!othersHavePython)("has all parts but a user of its own for an ordinary user", () =>
    Effect.gen(function* () {
      const { failure, missing, outcomes, parts } = yield* on(asOrdinary, attempts)
      expect([failure, parts]).toEqual([undefined, isolationParts.filter((part) => part !== "user")])
      expect(missing).toEqual([{ part: "user", reason: "only root can change the user" }])
      allRefused(outcomes)
    })
  )

  it.live.skipIf(!othersHavePython || !hasBubblewrap)("has the same through bubblewrap", () =>
    Effect.gen(function* () {
      const { outcomes, parts } = yield* on(asOrdinary, attempts, "bubblewrap")
      expect(parts).toEqual(isolationParts.filter((part) => part !== "user"))
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
        ["mount", "mount"]
      ])
      expect([failure, parts]).toEqual([undefined, ["user", "privileges"]])
      expect(missing.map(({ part }) => part).toSorted()).toEqual(["files", "network", "processes"])
      expect(missing[0]?.reason).toBe("unshare: Operation not permitted")
      allRefused(outcomes)
    })
  )

  it.live.skipIf(!isRoot || !runs([...withoutNamespaces, "true"]))("says what is missing where there is nothing", () =>
    Effect.gen(function* () {
      const { failure, missing, parts } = yield* on(
        ["setpriv", "--bounding-set=-sys_admin,-setuid,-setgid,-chown"],
        () => [["mount", "mount"]]
      )
      expect([failure, parts]).toEqual([undefined, ["privileges"]])
      expect(missing.map(({ part }) => part).toSorted()).toEqual(["files", "network", "processes", "user"])
    })
  )
})

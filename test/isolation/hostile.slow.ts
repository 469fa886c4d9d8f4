import { join } from "node:path"
import { describe, expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { isolationParts } from "../../src/protocol/Isolation.ts"
import { eventually } from "../support/process.ts"
import { commandOf, isAlive, pidsWhere, postgresOf } from "../support/process-gateway.ts"
import { tenantOf } from "../support/runs.ts"
import {
  type Attempt,
  allRefused,
  databasePort,
  flowline,
  hasPython,
  hiddenPowers,
  isRoot,
  Victim,
  victim
} from "./victim.ts"

/** Files that no program may read, and that a program of the gateway's user can read. */
const secrets = (conf: string, data: string): ReadonlyArray<Attempt> => [
  ["other tenant", "read", join(conf, "tenants/othertenant/secret.txt")],
  ["own tenant", "read", join(conf, "tenants/mytenant/nodes/hostile.py")],
  ["platform", "read", join(conf, "platform.yaml")],
  ["password", "read", join(data, "postgres/password")],
  ["database", "read", join(data, "postgres/data/PG_VERSION")]
]

const ports = (port: number, data: string): ReadonlyArray<Attempt> => [
  ["gateway", "connect", "127.0.0.1", port],
  ["postgres", "connect", "127.0.0.1", databasePort(data)]
]

const commands = () => pidsWhere((pid) => commandOf(pid).includes("left-behind-by-hostile"))

describe.skipIf(!hasPython)("a hostile Python node", () => {
  layer(victim(), { excludeTestServices: true })("of an isolated run", (it) => {
    it.effect("meets every part of the isolation where root runs the gateway on Linux", () =>
      Effect.gen(function* () {
        const { gateway, parts } = yield* Victim
        if (isRoot && process.platform === "linux") expect(parts).toEqual(isolationParts)
        const metrics = yield* Effect.promise(async () => (await fetch(`${gateway.url}/metrics`)).text())
        for (const part of isolationParts) {
          expect(metrics).toContain(`flow_python_isolation{part="${part}"} ${parts.includes(part) ? 1 : 0}`)
        }
      })
    )

    it.effect("reads no file of the gateway, of a tenant or of the machine's users, and writes none", () =>
      Effect.gen(function* () {
        const { attack, conf, data, gateway, parts } = yield* Victim
        if (!parts.includes("files")) return
        const outcomes = yield* Effect.promise(() =>
          attack([
            ...secrets(conf, data),
            ["users", "read", "/etc/shadow"],
            ["environment of the gateway", "read", `/proc/${gateway.pid}/environ`],
            ["memory of the gateway", "read", `/proc/${gateway.pid}/mem`],
            ["write data", "write", join(data, "hostile")],
            ["write conf", "write", join(conf, "tenants/mytenant/nodes/hostile.py")],
            ["write root", "write", "/hostile"],
            ["write programs", "write", "/flow-gateway/run.py"],
            ["write system", "write", "/usr/hostile"],
            ["write devices", "write", "/dev/hostile"],
            ["write settings", "write", "/etc/passwd"],
            ["device", "hold", "device"]
          ])
        )
        allRefused(outcomes)
        const { roots, temporary } = yield* Effect.promise(() =>
          attack([
            ["roots", "roots"],
            ["temporary", "write", "/tmp/mine"]
          ])
        )
        expect(roots).not.toContain("home")
        expect(temporary).toBe("could write /tmp/mine")
      })
    )

    it.effect("fills its temporary folder, and no disk", () =>
      Effect.gen(function* () {
        const { attack, parts } = yield* Victim
        if (!parts.includes("files")) return
        expect(yield* Effect.promise(() => attack([["fill", "fill"]]))).toEqual({ fill: "wrote 256 MiB" })
      })
    )

    it.effect("reaches neither the gateway's port nor PostgreSQL's, nor anything outside", () =>
      Effect.gen(function* () {
        const { attack, data, gateway, parts } = yield* Victim
        if (!parts.includes("network")) return
        const outcomes = yield* Effect.promise(() =>
          attack([
            ...ports(gateway.port, data),
            ["outside", "connect", "192.0.2.1", 80],
            ["name", "connect", "a.test", 80]
          ])
        )
        allRefused(outcomes)
        expect(outcomes["outside"]).toContain("Network is unreachable")
      })
    )

    it.effect("is told why there is no network", () =>
      Effect.gen(function* () {
        const { gateway, parts } = yield* Victim
        if (!parts.includes("network")) return
        const tenant = tenantOf(gateway.url)
        const detail = yield* Effect.promise(async () =>
          tenant.ended(await tenant.run(flowline([["unexpected", "connect_unguarded", "192.0.2.1", 80]])))
        )
        expect(detail.error).toContain("docs/isolation.md")
      })
    )

    it.effect("sees and signals no other process", () =>
      Effect.gen(function* () {
        const { attack, data, gateway, parts } = yield* Victim
        if (!parts.includes("processes")) return
        const [postgres = 0] = postgresOf(data)
        const outcomes = yield* Effect.promise(() =>
          attack([
            ["gateway", "kill", gateway.pid],
            ["postgres", "kill", postgres],
            ["trace", "trace", gateway.pid]
          ])
        )
        allRefused(outcomes)
        // Its own, and the one that ends all others with it.
        expect(yield* Effect.promise(() => attack([["sees", "others"]]))).toEqual({ sees: "sees 2 processes" })
        const tenant = tenantOf(gateway.url)
        const { error } = yield* Effect.promise(async () =>
          tenant.ended(await tenant.run(flowline([["group", "kill_group"]])))
        )
        expect(error).toBe("hostile: The Python process ended early, with signal SIGKILL")
        expect([gateway.pid, postgres].map(isAlive)).toEqual([true, true])
      })
    )

    it.effect("has no privileges and gets none", () =>
      Effect.gen(function* () {
        const { attack, parts } = yield* Victim
        if (!parts.includes("privileges")) return
        const { root, mount, su, ...held } = yield* Effect.promise(() =>
          attack([
            ["root", "become_root"],
            ["mount", "mount"],
            ["su", "setuid_programs"],
            ["CapEff:", "status", "CapEff:"],
            ["CapPrm:", "status", "CapPrm:"],
            ["CapBnd:", "status", "CapBnd:"],
            ["CapAmb:", "status", "CapAmb:"],
            ["NoNewPrivs:", "status", "NoNewPrivs:"],
            ["Uid:", "status", "Uid:"]
          ])
        )
        allRefused({ root: root!, mount: mount!, su: su! })
        const none = "0000000000000000"
        expect(held).toMatchObject({ "CapEff:": none, "CapPrm:": none, "CapAmb:": none, "NoNewPrivs:": "1" })
        if (parts.includes("user")) {
          expect(held["CapBnd:"]).toBe(none)
          // The id of all runs inside their user namespaces. Outside, each has another one.
          expect(Number(held["Uid:"])).toBeGreaterThanOrEqual(60_577)
          expect(Number(held["Uid:"])).toBeLessThanOrEqual(61_183)
        }
      })
    )

    it.effect("gets no capabilities in a namespace of its own, and no memory that no process has", () =>
      Effect.gen(function* () {
        const { attack, parts } = yield* Victim
        if (!parts.includes("privileges")) return
        const { shared, ...others } = yield* Effect.promise(() => attack([...hiddenPowers, ["shared", "share"]]))
        allRefused(others)
        expect(shared).toBe("shared")
      })
    )

    it.effect("has only so many threads and processes, and opens only so many files", () =>
      Effect.gen(function* () {
        const { attack, parts } = yield* Victim
        if (!parts.includes("user")) return
        const { files, threads } = yield* Effect.promise(() =>
          attack([
            ["threads", "start_threads"],
            ["files", "open_files"]
          ])
        )
        expect(Number(threads?.split(" ").at(-1))).toBeLessThan(512)
        expect(Number(files?.split(" ").at(-1))).toBeLessThan(1024)
      })
    )

    it.effect("leaves no process behind", () =>
      Effect.gen(function* () {
        const { attack, parts } = yield* Victim
        if (!parts.includes("processes")) return
        expect(yield* Effect.promise(() => attack([["left", "leave_behind", "left-behind-by-hostile"]]))).toEqual({
          left: "left one behind"
        })
        // The run has ended, and nothing of it may be there any more.
        expect(commands()).toEqual([])
      })
    )

    it.effect("has no setting of the gateway in its environment", () =>
      Effect.gen(function* () {
        const { attack } = yield* Victim
        const { names } = yield* Effect.promise(() => attack([["names", "environment"]]))
        expect(names).toContain("PATH")
        expect(names).not.toMatch(/FLOW|SECRET|NODE/)
      })
    )
  })

  layer(victim({ FLOW_ISOLATION: "off" }), { excludeTestServices: true })("without isolation", (it) => {
    it.effect("can do all that the gateway's user can", () =>
      Effect.gen(function* () {
        const { attack, conf, data, gateway, parts } = yield* Victim
        expect(parts).toEqual([])
        const outcomes = yield* Effect.promise(() =>
          attack([
            ...secrets(conf, data),
            ...ports(gateway.port, data),
            ["environment", "read", `/proc/${gateway.pid}/environ`],
            ["write", "write", join(data, "hostile")],
            ["left", "leave_behind", "left-behind-by-hostile"]
          ])
        )
        for (const outcome of Object.values(outcomes)) expect(outcome).not.toMatch(/^refused/)
        const left = commands()
        expect(left.length).toBe(1)
        for (const pid of left) process.kill(pid, "SIGKILL")
        yield* Effect.promise(() => eventually("it is gone", () => !left.some(isAlive)))
      })
    )
  })
})

import { once } from "node:events"
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import { findIsolation } from "../../src/drivers/isolation/Probe.ts"
import { findPython } from "../../src/drivers/python/Interpreter.ts"
import { findRunIsolation } from "../../src/layers/isolation/RunProbe.ts"
import type { RunIsolation } from "../../src/protocol/Isolation.ts"
import type { RunSpec } from "../../src/protocol/RunProtocol.ts"
import { Engine } from "../../src/services/runs/Engine.ts"
import { ended, engine, flowline, node, places, printed, settings, tenant } from "../engine/support.ts"
import { allRefused, hasPython, isRoot, type Outcomes, outcomesOf } from "./victim.ts"

const entry = pathToFileURL(join(import.meta.dirname, "hostileRun.ts"))

type Attempt = readonly [name: string, call: string, target: string | number]

let count = 0
const specOf = (attempts: ReadonlyArray<Attempt>): RunSpec => ({
  tenant,
  executionId: `hostile-${++count}`,
  epoch: 1,
  flowline: flowline([node("hostile", { attempts })])
})

/** A gateway's folders with the files of two tenants, and an engine that isolates runs as a gateway does. */
const victimWith = Effect.fnUntraced(function* (hasNetwork: boolean) {
  const folders = yield* places
  const { root } = folders
  chmodSync(root, 0o700)
  const other = { conf: join(root, "conf/tenants/other"), data: join(root, "data/other/data") }
  const files = {
    "other's configuration": join(other.conf, "secret.txt"),
    "other's data": join(other.data, "secret.txt"),
    "other's blob": join(root, "blobs/other/blobs/ab/abc"),
    "platform file": join(root, "conf/platform.yaml"),
    "access file": join(root, "access.yaml"),
    "database's password": join(root, "postgres/password"),
    keys: join(root, "keys/current")
  }
  for (const path of Object.values(files)) {
    mkdirSync(join(path, ".."), { recursive: true })
    writeFileSync(path, "of somebody else", { mode: 0o644 })
  }
  writeFileSync(join(folders.conf, "own.txt"), "own", { mode: 0o600 })
  const hidden = [join(root, "conf"), join(root, "data"), join(root, "blobs")]
  const given = settings(root, { entry })
  const interpreter = yield* Effect.promise(findPython)
  if (interpreter === undefined) return yield* Effect.die("no Python")
  const isolation: RunIsolation = yield* Effect.promise(async () =>
    findRunIsolation(
      { interpreter, isolation: await findIsolation(interpreter, { root: given.tempRoot, hidden }) },
      { hidden, tempRoot: given.tempRoot, hasNetwork, roots: [join(root, "conf"), join(root, "data")], entry },
      given.tempRoot
    )
  )
  const layer = engine({ ...given, isolation: async () => isolation })
  const run = (attempts: ReadonlyArray<Attempt>) =>
    Effect.gen(function* () {
      const { run } = yield* Engine
      const messages = yield* Stream.runCollect(run(specOf(attempts)))
      return { outcomes: outcomesOf(printed(messages)), end: ended(messages), messages }
    }).pipe(Effect.provide(layer))
  const attack = (attempts: ReadonlyArray<Attempt>) =>
    Effect.map(run(attempts), ({ end, outcomes }): Outcomes => {
      expect(end).toMatchObject({ outcome: "succeeded" })
      expect(Object.keys(outcomes)).toEqual(attempts.map(([name]) => name))
      return outcomes
    })
  return { ...folders, files, isolation, attack, run, own: join(folders.conf, "own.txt") }
})
const victim = victimWith(true)

describe.skipIf(!hasPython || process.platform !== "linux")("a run that somebody has taken over", () => {
  it.live.skipIf(!isRoot)("has every part of the isolation where root runs the gateway", () =>
    Effect.gen(function* () {
      const { isolation } = yield* victim
      expect([isolation.parts, isolation.missing]).toEqual([["files", "processes", "user", "privileges"], []])
    })
  )

  it.live("reads no file of another tenant, of the gateway or of the machine's users", () =>
    Effect.gen(function* () {
      const { attack, files, isolation, root } = yield* victim
      if (!isolation.parts.includes("files")) return
      const outcomes = yield* attack([
        ...Object.entries(files).map(([name, path]) => [name, "read", path] as const),
        ["users", "read", "/etc/shadow"],
        ["tenants' data", "list", join(root, "data/other")],
        ["write conf", "write", join(root, "conf/tenants/acme/own.txt")],
        ["create in conf", "create", join(root, "conf/tenants/acme/new")],
        ["write product", "create", join(import.meta.dirname, "new")],
        ["write system", "create", "/usr/new"]
      ])
      allRefused(outcomes)
      const seen = yield* attack([
        ["root", "list", root],
        ["tenants", "list", join(root, "conf/tenants")],
        ["data", "list", join(root, "data")]
      ])
      expect(seen).toEqual({ root: "blobs conf data temp", tenants: "acme", data: "acme" })
    })
  )

  it.live("reads and writes its own files, which belong to the gateway", () =>
    Effect.gen(function* () {
      const { attack, data, isolation, own, root } = yield* victim
      const written = join(data, "..", "written.txt")
      const outcomes = yield* attack([
        ["own", "read", own],
        ["data", "keep", written],
        ["mine", "owner", written],
        ["temporary", "keep", "/tmp/mine"]
      ])
      expect(outcomes).toEqual({ own: "read 3 bytes", data: "kept", mine: "true", temporary: "kept" })
      expect(readFileSync(written, "utf8")).toBe("kept")
      expect(statSync(written).uid).toBe(process.geteuid?.())
      if (isolation.parts.includes("files")) expect(existsSync("/tmp/mine")).toBe(false)
      expect(existsSync(join(root, "temp/runs"))).toBe(true)
    })
  )

  it.live("is isolated whatever the gateway's umask, which says who may read what it writes", () =>
    Effect.gen(function* () {
      const usual = (yield* victim).isolation.parts
      for (const mask of [0o077, 0o027, 0o022]) {
        const outer = yield* Effect.acquireRelease(
          Effect.sync(() => process.umask(mask)),
          (before) => Effect.sync(() => process.umask(before))
        )
        const { attack, data, isolation, own } = yield* victim
        const written = join(data, "..", "written.txt")
        const outcomes = yield* attack([
          ["own", "read", own],
          ["data", "keep", written]
        ])
        const found = [isolation.parts, outcomes, statSync(written).mode & 0o777]
        expect(found).toEqual([usual, { own: "read 3 bytes", data: "kept" }, 0o666 & ~mask])
        process.umask(outer)
      }
    })
  )

  it.live("sees and signals no other process, and reads nobody's environment", () =>
    Effect.gen(function* () {
      const { attack, isolation } = yield* victim
      if (!isolation.parts.includes("processes")) return
      const outcomes = yield* attack([
        ["gateway", "kill", process.pid],
        ["environment", "read", `/proc/${process.pid}/environ`],
        ["memory", "read", `/proc/${process.pid}/mem`],
        ["of its init", "read", "/proc/1/environ"]
      ])
      const { "of its init": init, ...others } = outcomes
      allRefused(others)
      if (isolation.parts.includes("user")) expect(init).toMatch(/^read \d+ bytes$|^refused/)
      expect(yield* attack([["sees", "processes", ""]])).toEqual({ sees: "2" })
    })
  )

  it.live("has no privileges, and a user of its own", () =>
    Effect.gen(function* () {
      const { attack, isolation } = yield* victim
      if (!isolation.parts.includes("files")) return
      const held = yield* attack([
        ["CapEff", "status", "CapEff"],
        ["CapPrm", "status", "CapPrm"],
        ["CapBnd", "status", "CapBnd"],
        ["CapAmb", "status", "CapAmb"],
        ["NoNewPrivs", "status", "NoNewPrivs"],
        ["Uid", "status", "Uid"],
        ["user", "outerUser", ""]
      ])
      const nothing = "0000000000000000"
      expect(held).toMatchObject({ CapEff: nothing, CapPrm: nothing, CapAmb: nothing, NoNewPrivs: "1" })
      if (!isolation.parts.includes("user")) return
      expect(held["CapBnd"]).toBe(nothing)
      expect(held["Uid"]).toBe("60577")
      expect(Number(held["user"])).toBeGreaterThanOrEqual(60_578)
      expect(Number(held["user"])).toBeLessThanOrEqual(61_183)
    })
  )

  it.live("has no network where the operator takes it away, and works on its files all the same", () =>
    Effect.gen(function* () {
      const { attack, data, isolation } = yield* victimWith(false)
      if (!isolation.parts.includes("files")) return
      expect(isolation.parts).toContain("network")
      const server = createServer().listen(0, "127.0.0.1")
      yield* Effect.addFinalizer(() => Effect.sync(() => server.close()))
      yield* Effect.promise(() => once(server, "listening"))
      const address = server.address()
      const port = typeof address === "object" && address !== null ? address.port : 0
      allRefused(yield* attack([["port", "connect", port]]))
      expect(yield* attack([["data", "keep", join(data, "..", "written.txt")]])).toEqual({ data: "kept" })
    })
  )

  it.live("keeps the network, which nodes of the catalogue need", () =>
    Effect.gen(function* () {
      const { attack } = yield* victim
      const server = createServer((socket) => socket.end())
      yield* Effect.promise(() => new Promise<void>((done) => server.listen(0, "127.0.0.1", done)))
      yield* Effect.addFinalizer(() => Effect.sync(() => server.close()))
      const address = server.address()
      const port = typeof address === "object" ? (address?.port ?? 0) : 0
      expect(yield* attack([["port", "connect", port]])).toEqual({ port: "connected" })
    })
  )

  it.live("fails and says why when it cannot be given its files", () =>
    Effect.gen(function* () {
      const { isolation, root, run } = yield* victim
      if (!isolation.hasDoor) return
      // A link to nothing where the folder of the tenant's data would be.
      rmSync(join(root, "data", tenant), { recursive: true, force: true })
      symlinkSync(join(root, "nowhere"), join(root, "data", tenant))
      const { end } = yield* run([["x", "list", "/"]])
      expect(end).toMatchObject({ error: expect.not.stringContaining(root) })
      expect(end).toMatchObject({ outcome: "failed", error: expect.stringContaining("could not be given its files") })
    })
  )
})

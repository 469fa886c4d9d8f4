import { mkdirSync, renameSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { expect, it, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { loadAccessFile } from "../../src/layers/access/AccessFileOnDisk.ts"
import * as FileRules from "../../src/layers/access/FileRules.ts"
import { AccessRules } from "../../src/services/access/AccessRules.ts"
import { raw, TestGateway, temporaryFolder } from "../support/gateway.ts"
import { until } from "../support/process.ts"
import { accessFile, hashOf, replaceFile } from "./accessFiles.ts"
import { basic, guardedGateway, replaceAccess, statusOf } from "./support.ts"

const path = "/v1/mytenant/conf"
const old = hashOf("old")
const admin = { stored: hashOf("root"), roles: { "*": "admin" } }
const alice = (stored: string, tenant = "mytenant") => ({ stored, roles: { [tenant]: "viewer" } })

const clock = hashOf("tick")

/** A version of the file. The tenant that `clock` can see shows which version is in force, without a wrong password. */
const version = (users: Parameters<typeof accessFile>[0], tenant: "mytenant" | "othertenant" = "mytenant") =>
  accessFile({ admin, clock: { stored: clock, roles: { [tenant]: "viewer" } }, ...users })

const first = version({ alice: alice(old) })

/** What readiness and the metric say of the file. */
const state = Effect.gen(function* () {
  const ready = yield* raw("/health/ready")
  const { defects } = (yield* Effect.promise(() => ready.json())) as { defects?: Record<string, number> }
  const metrics = yield* raw("/metrics", { headers: { authorization: basic("admin", "root") } })
  const text = yield* Effect.promise(() => metrics.text())
  return [ready.status, defects?.["accessFile"] ?? 0, Number(/^flow_access_file_faulty (\d)$/m.exec(text)?.[1])]
})

const sound = [200, 0, 0]
const faulty = [200, 1, 1]
const stateIs = (wanted: ReadonlyArray<number>) => until(state, (seen) => String(seen) === String(wanted))
/** Waits until the version with this tenant of `clock` is in force. */
const holds = (tenant: "mytenant" | "othertenant") =>
  until(statusOf(path, basic("clock", "tick")), (seen) => seen === (tenant === "mytenant" ? 200 : 404))

layer(guardedGateway(first), { excludeTestServices: true })("the access file of a running gateway", (it) => {
  it.effect("takes effect for the next request, whatever was verified before", () =>
    Effect.gen(function* () {
      expect(yield* statusOf(path, basic("alice", "old"))).toBe(200)
      expect(yield* statusOf(path, basic("alice", "new"))).toBe(401)
      yield* replaceAccess(version({ alice: alice(hashOf("new")) }, "othertenant"))
      yield* holds("othertenant")
      expect(yield* statusOf(path, basic("alice", "old"))).toBe(401)
      expect(yield* statusOf(path, basic("alice", "new"))).toBe(200)
      yield* replaceAccess(version({}))
      yield* holds("mytenant")
      expect(yield* statusOf(path, basic("alice", "new"))).toBe(401)
      yield* replaceAccess(version({ alice: alice(old, "othertenant") }, "othertenant"))
      yield* holds("othertenant")
      expect(yield* statusOf(path, basic("alice", "old"))).toBe(404)
      expect(yield* statusOf("/v1/othertenant/conf", basic("alice", "old"))).toBe(200)
      yield* replaceAccess(first)
      yield* holds("mytenant")
      expect(yield* statusOf(path, basic("alice", "old"))).toBe(200)
    })
  )

  it.effect("keeps its former rules while it is faulty, half written or gone, and says so", () =>
    Effect.gen(function* () {
      const { settings } = yield* TestGateway
      const file = settings.auth ?? ""
      const breaks = [
        () => replaceFile(file, first.replace('"alice"', '"alice" "bob"')),
        () => writeFileSync(file, first.slice(0, first.length / 2)),
        () => writeFileSync(file, ""),
        () => writeFileSync(file, Buffer.from([0xff, 0xfe, 0x00])),
        () => writeFileSync(file, `#${" ".repeat(1024 * 1024)}\n${first}`),
        () => unlinkSync(file),
        () => {
          rmSync(file, { force: true })
          mkdirSync(file)
        }
      ]
      for (const damage of breaks) {
        damage()
        yield* stateIs(faulty)
        expect(yield* statusOf(path, basic("alice", "old"))).toBe(200)
        rmSync(file, { force: true, recursive: true })
        writeFileSync(file, first)
        yield* stateIs(sound)
        expect(yield* statusOf(path, basic("alice", "old"))).toBe(200)
      }
    })
  )

  it.effect("may be a link that is swapped, as Kubernetes does", () =>
    Effect.gen(function* () {
      const { settings } = yield* TestGateway
      const file = settings.auth ?? ""
      const folder = dirname(file)
      const write = (name: string, text: string) => {
        mkdirSync(join(folder, name))
        writeFileSync(join(folder, name, "access.yaml"), text)
      }
      const swap = (name: string) => {
        symlinkSync(name, join(folder, "..data.new"))
        renameSync(join(folder, "..data.new"), join(folder, "..data"))
      }
      write("..1", first)
      write("..2", version({ alice: alice(hashOf("two")) }, "othertenant"))
      swap("..1")
      symlinkSync("..data/access.yaml", `${file}.new`)
      renameSync(`${file}.new`, file)
      yield* holds("mytenant")
      swap("..2")
      yield* holds("othertenant")
      expect(yield* statusOf(path, basic("alice", "two"))).toBe(200)
      expect(yield* statusOf(path, basic("alice", "old"))).toBe(401)
      yield* replaceAccess(first)
      yield* holds("mytenant")
    })
  )

  it.effect("can be replaced while requests run: each answer is that of the old or of the new rules", () =>
    Effect.gen(function* () {
      const seen = { mytenant: new Map<number, number>(), othertenant: new Map<number, number>() }
      let requests = 0
      const ask = Effect.fnUntraced(function* (tenant: keyof typeof seen) {
        const status = yield* statusOf(`/v1/${tenant}/conf`, basic("alice", "old"))
        requests += 1
        seen[tenant].set(status, (seen[tenant].get(status) ?? 0) + 1)
        return status
      })
      const twenty = Effect.forEach(
        Array.from({ length: 20 }, (_, index) => (index % 2 === 0 ? ("mytenant" as const) : ("othertenant" as const))),
        ask,
        { concurrency: 20 }
      )
      const texts = { mytenant: first, othertenant: version({ alice: alice(old, "othertenant") }, "othertenant") }
      while (requests < 1000) {
        for (const tenant of ["othertenant", "mytenant"] as const) {
          yield* replaceAccess(texts[tenant])
          const wanted = tenant === "mytenant" ? [200, 404] : [404, 200]
          yield* until(twenty, ([one, other]) => String([one, other]) === String(wanted))
        }
      }
      for (const statuses of Object.values(seen)) expect([...statuses.keys()].toSorted()).toEqual([200, 404])
    })
  )
})

it.live("a version that replaces another one between the look at it and its reading holds", () =>
  Effect.gen(function* () {
    const file = join(yield* temporaryFolder, "access.yaml")
    const of = (tenant: string) => JSON.stringify({ tenants: { [tenant]: {} } })
    replaceFile(file, of("first"))
    let loads = 0
    const late = (path: string) => {
      loads += 1
      if (loads === 2) replaceFile(path, of("third"))
      return loadAccessFile(path, [])
    }
    const rules = yield* Effect.map(Layer.build(FileRules.layer(file, 5000, [], late)), (found) =>
      Context.get(found, AccessRules)
    )
    replaceFile(file, of("second"))
    yield* until(
      Effect.sync(() => Object.keys(rules.current()?.tenants ?? {})),
      ([name]) => name === "third"
    )
    expect(loads).toBe(3)
    expect(rules.faulty()).toBe(false)
  }).pipe(Effect.scoped)
)

import { assert, layer } from "@effect/vitest"
import { Effect, Stream } from "effect"
import { ArchiveId } from "../../src/services/archives/Archive.ts"
import { ArchiveStore } from "../../src/services/archives/ArchiveStore.ts"
import { TenantId } from "../../src/services/shared/Tenant.ts"
import * as Memory from "../memory/ArchiveStore.ts"
import * as Postgres from "./postgres.ts"

const archive = (id: string, sha256 = "a".repeat(64)) => ({
  id: ArchiveId(id),
  flowlineId: "f",
  sha256,
  size: 2 ** 40 + 1,
  entries: 3
})

const stores = {
  memory: Memory.layer,
  PostgreSQL: Postgres.layer
}

for (const [name, store] of Object.entries(stores)) {
  layer(store)(`archives in ${name}`, (it) => {
    it.effect("has the archive of the attempt that ended the run", () =>
      Effect.gen(function* () {
        const store = yield* ArchiveStore
        const addArchive = yield* Memory.AddArchive
        yield* addArchive(TenantId("put"), { ...archive("x-1", "b".repeat(64)), entries: 9 })
        yield* addArchive(TenantId("put"), archive("x-1"))
        const found = yield* store.get(TenantId("put"), ArchiveId("x-1"))
        assert.deepInclude(found, archive("x-1"))
        assert.match(found?.createdAt ?? "", /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
        assert.deepStrictEqual(Object.keys(found ?? {}).sort(), [...Object.keys(archive("")), "createdAt"].sort())
        assert.strictEqual(yield* store.get(TenantId("put"), ArchiveId("x-2")), undefined)
        assert.strictEqual(yield* store.get(TenantId("elsewhere"), ArchiveId("x-1")), undefined)
      })
    )

    it.effect("lists in the order of making, in pages that neither lose nor repeat", () =>
      Effect.gen(function* () {
        const store = yield* ArchiveStore
        const addArchive = yield* Memory.AddArchive
        const ids = ["m-3", "a-1", "z-2", "b-0", "c-9"]
        for (const id of ids) yield* addArchive(TenantId("list"), archive(id))
        const read = (after: string | undefined, limit: number | undefined) =>
          Stream.runCollect(store.list(TenantId("list"), { after, limit }))
        const all = yield* read(undefined, undefined)
        assert.deepStrictEqual(
          all.map(({ json }) => JSON.parse(json).id),
          ids
        )
        assert.deepStrictEqual(JSON.parse(all[0]!.json), yield* store.get(TenantId("list"), ArchiveId("m-3")))
        const seen: Array<string> = []
        let after: string | undefined
        for (;;) {
          const page = yield* read(after, 2)
          if (page.length === 0) break
          seen.push(...page.map(({ json }) => JSON.parse(json).id))
          after = page.at(-1)!.key
          yield* store.remove(TenantId("list"), ArchiveId("a-1"))
        }
        assert.deepStrictEqual(seen, ids)
        assert.deepStrictEqual(
          yield* Stream.runCollect(store.list(TenantId("nobody"), { after: undefined, limit: 2 })),
          []
        )
      })
    )

    it.effect("starts at the first archive after a key that it never gave", () =>
      Effect.gen(function* () {
        const store = yield* ArchiveStore
        const addArchive = yield* Memory.AddArchive
        yield* addArchive(TenantId("forged"), archive("x-1"))
        for (const after of ["'; drop table archives --", "9".repeat(40), "", "-1"]) {
          const rows = yield* Stream.runCollect(store.list(TenantId("forged"), { after, limit: 5 }))
          assert.isAtMost(rows.length, 1)
        }
      })
    )

    it.effect("removes one, tells its blob, and removes all of one tenant only", () =>
      Effect.gen(function* () {
        const store = yield* ArchiveStore
        const addArchive = yield* Memory.AddArchive
        yield* addArchive(TenantId("gone"), archive("x-1", "c".repeat(64)))
        yield* addArchive(TenantId("gone"), archive("x-2"))
        yield* addArchive(TenantId("stays"), archive("x-1"))
        assert.strictEqual(yield* store.remove(TenantId("stays"), ArchiveId("x-2")), undefined)
        assert.strictEqual(yield* store.remove(TenantId("gone"), ArchiveId("x-1")), "c".repeat(64))
        assert.strictEqual(yield* store.remove(TenantId("gone"), ArchiveId("x-1")), undefined)
        yield* store.removeAll(TenantId("gone"))
        yield* store.removeAll(TenantId("gone"))
        assert.strictEqual(yield* store.get(TenantId("gone"), ArchiveId("x-2")), undefined)
        assert.strictEqual((yield* store.get(TenantId("stays"), ArchiveId("x-1")))?.id, "x-1")
      })
    )

    it.effect("knows which blobs its archives refer to", () =>
      Effect.gen(function* () {
        const store = yield* ArchiveStore
        const addArchive = yield* Memory.AddArchive
        const [one, two, three] = ["1", "2", "3"].map((digit) => digit.repeat(64)) as [string, string, string]
        yield* addArchive(TenantId("refers"), archive("x-1", one))
        yield* addArchive(TenantId("refers"), archive("x-2", one))
        yield* addArchive(TenantId("refers"), archive("x-3", two))
        yield* addArchive(TenantId("other"), archive("x-4", three))
        assert.deepStrictEqual([...(yield* store.references(TenantId("refers"), [three, two, one]))].sort(), [one, two])
        assert.deepStrictEqual(yield* store.references(TenantId("refers"), []), [])
        yield* store.remove(TenantId("refers"), ArchiveId("x-1"))
        assert.deepStrictEqual(yield* store.references(TenantId("refers"), [one]), [one])
        yield* store.remove(TenantId("refers"), ArchiveId("x-2"))
        assert.deepStrictEqual(yield* store.references(TenantId("refers"), [one]), [])
      })
    )
  })
}

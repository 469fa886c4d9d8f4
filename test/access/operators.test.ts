import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { configuration } from "../support/conf.ts"
import { memoryGateway, raw, temporaryFolder } from "../support/gateway.ts"
import { accessFile, hashOf, replaceFile } from "./accessFiles.ts"
import { basic } from "./support.ts"

/** A gateway whose default tenant has a pattern, and a user of another tenant. */
const Guarded = Layer.unwrap(
  Effect.gen(function* () {
    const { root, folderOf } = yield* configuration
    mkdirSync(join(folderOf("mytenant"), "patterns"))
    writeFileSync(join(folderOf("mytenant"), "patterns/own"), "OWNWORD [a-z]+\n")
    const auth = `${yield* temporaryFolder}/access.yaml`
    const user = (name: string, tenant: string) => ({ [name]: { stored: hashOf(name), roles: { [tenant]: "viewer" } } })
    replaceFile(
      auth,
      accessFile({ ...user("alice", "mytenant"), ...user("bob", "othertenant"), ...user("eve", "gone") })
    )
    return memoryGateway({ auth, conf: root })
  })
)

const test = (user: string, query: string, pattern = "%{OWNWORD:word}") =>
  Effect.gen(function* () {
    const body = new FormData()
    body.set("input", "hello\n")
    body.set("pattern", pattern)
    const headers = { authorization: basic(user, user) }
    const response = yield* raw(`/v1/flower/grok${query}`, { method: "POST", body, headers })
    const { detail, matched, kind, id } = (yield* Effect.promise(() => response.json())) as Record<string, unknown>
    return { status: response.status, detail, matched, kind, id }
  })

layer(Guarded, { excludeTestServices: true })("an operator test", (it) => {
  it.effect("has the patterns of the default tenant only for those who may see it", () =>
    Effect.gen(function* () {
      expect(yield* test("alice", "")).toMatchObject({ status: 200, matched: 1 })
      expect(yield* test("alice", "?tenant=mytenant")).toMatchObject({ status: 200, matched: 1 })
      for (const user of ["bob", "eve"]) {
        expect(yield* test(user, "")).toMatchObject({ status: 500, detail: expect.stringContaining("OWNWORD") })
        expect(yield* test(user, "", "%{WORD:word}")).toMatchObject({ status: 200, matched: 1 })
      }
    })
  )

  it.effect("with a tenant that one may not see is that of an unknown tenant", () =>
    Effect.gen(function* () {
      const answers = yield* Effect.forEach(["mytenant", "nosuch"], (tenant) => test("bob", `?tenant=${tenant}`))
      expect(answers).toEqual(
        ["mytenant", "nosuch"].map((id) =>
          expect.objectContaining({ status: 404, kind: "tenant", id, detail: `There is no tenant "${id}"` })
        )
      )
      expect(yield* test("eve", "?tenant=gone")).toMatchObject({ status: 404, kind: "tenant" })
    })
  )
})

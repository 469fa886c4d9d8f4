import { renameSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { gateway, TestGateway } from "../support/gateway.ts"
import { ask, build, form, tenant, upload } from "./support.ts"

const base = `/v1/${tenant}`
const put = (path: string, parts: Record<string, string>) =>
  ask(`${base}/resources/${path}`, { method: "PUT", body: form(parts) })
const file = () => form({ file: { bytes: "b" }, path: "new" })

/** Every request of these groups, by the storage that it needs. */
const requests = {
  data: () => [
    ask(`${base}/resources/upload`, { method: "PUT", body: build({ version: "9" }) }),
    ask(`${base}/registry`, { method: "POST", body: file() }),
    ask(`${base}/resources/download?group=org.example&artifact=tool`),
    ask(`${base}/resources/content/org/example/tool/build.txt`),
    ask(`${base}/registry/download/a`),
    ask(`${base}/resources/sweep`, { method: "POST" }),
    put("register/r", { url: "x" })
  ],
  metadata: () => [
    ask(`${base}/resources/upload`, { method: "PUT", body: build({ version: "9" }) }),
    ask(`${base}/resources/list`),
    ask(`${base}/resources/list?limit=2`),
    ask(`${base}/resources/metadata?group=org.example&artifact=tool`),
    ask(`${base}/resources/download?group=org.example&artifact=tool`),
    ask(`${base}/resources/delete?group=org.example&artifact=tool`, { method: "DELETE" }),
    put("copy/org/example/tool/build.txt", { destination: "c" }),
    put("move/org/example/tool/build.txt", { destination: "c" }),
    put("register/r", { url: "there" }),
    ask(`${base}/resources/stored`),
    ask(`${base}/resources/stored/org/example/tool/build.txt`),
    ask(`${base}/resources/stored/org/example/tool/build.txt`, { method: "DELETE" }),
    ask(`${base}/resources/content/org/example/tool/build.txt`),
    ask(`${base}/registry`),
    ask(`${base}/registry`, { method: "POST", body: file() }),
    ask(`${base}/registry/metadata/a`),
    ask(`${base}/registry/download/a`)
  ]
}

const seed = Effect.gen(function* () {
  yield* upload({})
  yield* ask(`${base}/registry`, { method: "POST", body: form({ file: { bytes: "a" }, path: "a" }) })
  const { settings } = yield* TestGateway
  return join(settings.data, "blobs")
})

layer(gateway(), { excludeTestServices: true })("resources without a storage", (it) => {
  it.effect("answer 504 and name the data storage, and go on when it is back", () =>
    Effect.gen(function* () {
      const blobs = yield* seed
      renameSync(blobs, `${blobs}.away`)
      writeFileSync(blobs, "in the way")
      const answers = yield* Effect.all(requests.data(), { concurrency: "unbounded" })
      for (const [at, { status, json }] of answers.entries()) {
        expect([at, status, json]).toMatchObject([at, 504, { type: "/problems/storage-unreachable", storage: "data" }])
      }
      rmSync(blobs)
      renameSync(`${blobs}.away`, blobs)
      expect((yield* upload({ version: "2" })).version).toBe("2")
      // What was refused has left nothing.
      const { json } = yield* ask(`${base}/resources/list?all=true`)
      expect((json as ReadonlyArray<{ version: string }>).map(({ version }) => version)).toEqual(["1.0.0", "2"])
    })
  )

  it.effect("answer 504 and name the metadata storage, and go on when it is back", () =>
    Effect.gen(function* () {
      const blobs = yield* seed
      writeFileSync(join(blobs, tenant, "there"), "x")
      const sql = yield* SqlClient.SqlClient
      const tables = [
        "artifacts",
        "artifact_versions",
        "stored_names",
        "stored_versions",
        "registry_paths",
        "registry_versions"
      ]
      // These locks block every statement on its tables, like a database that does not answer.
      const answers = yield* sql.withTransaction(
        Effect.gen(function* () {
          for (const table of tables) yield* sql`lock table ${sql(table)} in access exclusive mode`
          return yield* Effect.all(requests.metadata(), { concurrency: "unbounded" })
        })
      )
      for (const [at, { status, json }] of answers.entries()) {
        // A missing file of the data area is detected before the database is queried.
        if (at === 8 && status === 404) continue
        expect([at, status, json]).toMatchObject([
          at,
          504,
          { type: "/problems/storage-unreachable", storage: "metadata" }
        ])
      }
      expect((yield* upload({ version: "3" })).version).toBe("3")
    })
  )
})

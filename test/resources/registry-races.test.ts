import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { during } from "../support/during.ts"
import { gateway, raw } from "../support/gateway.ts"
import { form, tenant } from "./support.ts"

const call = (method: string, path: string, body?: FormData) =>
  Effect.map(
    raw(`/v1/${tenant}/registry${path}`, { method, ...(body === undefined ? {} : { body }) }),
    ({ status }) => status
  )

const store = (path: string) => call("POST", "", form({ file: { bytes: "text" }, path }))

layer(gateway(), { excludeTestServices: true })("a file of the registry", (it) => {
  it.effect("is deleted while another version of it is stored: one waits for the other", () =>
    Effect.gen(function* () {
      expect(yield* store("shared/a.txt")).toBe(200)
      // As a store does it: first the folder, then the path.
      const folder = (sql: SqlClient.SqlClient) => sql`select 1 from registry_paths where path = 'shared' for share`
      const path = (sql: SqlClient.SqlClient) => sql`update registry_paths set version = 2 where path = 'shared/a.txt'`
      expect(yield* during(folder, call("DELETE", "/delete/shared/a.txt"), path)).toBe(204)
    })
  )

  it.effect("keeps its folder when the last other file is deleted from there meanwhile", () =>
    Effect.gen(function* () {
      expect(yield* store("left/in/a.txt")).toBe(200)
      const lock = (sql: SqlClient.SqlClient) => sql`select 1 from registry_paths where path ^@ 'left' for update`
      const remove = (sql: SqlClient.SqlClient) =>
        Effect.andThen(
          sql`delete from registry_versions where path = 'left/in/a.txt'`,
          sql`delete from registry_paths where path in ('left', 'left/in', 'left/in/a.txt')`
        )
      expect(yield* during(lock, store("left/in/b.txt"), remove)).toBe(200)
      expect(yield* store("left/in")).toBe(500)
      expect(yield* store("left")).toBe(500)
      expect(yield* call("GET", "/metadata/left/in/b.txt")).toBe(200)
    })
  )
})

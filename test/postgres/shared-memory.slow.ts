import { spawnSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { PgClient } from "@effect/sql-pg"
import { expect, layer } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { Reactivity } from "effect/reactivity"
import { site } from "../support/process-gateway.ts"

const small = 'mount -t tmpfs -o size=16k tmpfs /dev/shm && exec "$@"'
const through = ["unshare", "--mount", "sh", "-c", small, "sh"]
const canMount = spawnSync(through[0]!, [...through.slice(1), "true"]).status === 0

layer(Reactivity.layer, { excludeTestServices: true })("PostgreSQL where /dev/shm is full", (it) => {
  it.effect.skipIf(!canMount)("starts, and answers queries with parallel workers", () =>
    Effect.gen(function* () {
      const here = yield* site({ embedded: true, through })
      yield* Effect.promise(() => here.start())
      const home = join(here.data, "postgres")
      const port = readFileSync(join(home, "data/postmaster.pid"), "utf8").split("\n")[3]
      const password = readFileSync(join(home, "password"), "utf8")
      const url = Redacted.make(`postgres://flow:${password}@127.0.0.1:${port}/postgres`)
      const sql = yield* PgClient.makeClient({ url })
      yield* sql`create table numbers as select n from generate_series(1, 50000) n`
      yield* sql`analyze numbers`
      // The plan that PostgreSQL chooses for much larger tables.
      for (const setting of ["min_parallel_table_scan_size", "parallel_setup_cost", "parallel_tuple_cost"])
        yield* sql`select set_config(${setting}, '0', false)`
      const query = sql.literal("select count(*)::integer as count from numbers a join numbers b using (n)")
      expect(JSON.stringify(yield* sql`explain ${query}`)).toContain("Parallel Hash")
      expect(yield* sql`${query}`).toEqual([{ count: 50_000 }])
    })
  )
})

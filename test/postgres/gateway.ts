import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { startEmbedded } from "../../src/layers/postgres/embedded/Embedded.ts"
import { layer } from "../../src/layers/postgres/Postgres.ts"

/**
 * A process that plays a gateway in the fault tests: `node gateway.ts <data folder> hold|insert`.
 *
 * `hold` prints `ready <port> <server pid>` and waits for SIGTERM. `insert` writes numbered rows without a pause and
 * prints each number once the database has acknowledged it. A refused start prints `refused <message>`.
 */
const [, , folder = "", mode = "hold"] = process.argv

const told = new Promise<void>((done) => process.once("SIGTERM", done))
// Keeps the process alive: the server's own handles do not.
setInterval(() => undefined, 60_000)

const hold = Effect.gen(function* () {
  const { pid, port } = yield* startEmbedded({ folder })
  console.log(`ready ${port} ${pid()}`)
  yield* Effect.promise(() => told)
})

const insert = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`CREATE TABLE IF NOT EXISTS ledger (id bigint PRIMARY KEY)`
  const [last] = yield* sql<{ id: number }>`SELECT coalesce(max(id), 0)::int AS id FROM ledger`
  let id = last?.id ?? 0
  console.log("ready 0 0")
  const one = Effect.suspend(() => {
    const mine = ++id
    return Effect.map(sql`INSERT INTO ledger VALUES (${mine})`, () => console.log(mine))
  })
  yield* Effect.all(
    Array.from({ length: 8 }, () => Effect.forever(one)),
    { concurrency: "unbounded" }
  )
}).pipe(Effect.provide(layer(undefined, folder)))

await Effect.runPromise(
  Effect.scoped(mode === "insert" ? insert : hold).pipe(
    Effect.catch((error) => Effect.sync(() => console.log(`refused ${error.message}`)))
  )
)
process.exit(0)

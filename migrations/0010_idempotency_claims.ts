import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * Who works on a request with an `Idempotency-Key`: the gateway, and the claim, which is new for each try. A row without
 * `answer` and without `holder` is a request that nobody works on: the next repeat may do it.
 */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`alter table idempotency add column holder text, add column claim text not null default ''`
  yield* sql`create index idempotency_open on idempotency (holder) where answer is null`
})

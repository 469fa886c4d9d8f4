import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * The holder of a request with an `Idempotency-Key`: the gateway, and the claim, which is new for each try. Without
 * `answer` and `holder` nobody processes the request, and the next repeat may do so.
 */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`alter table idempotency add column holder text, add column claim text not null default ''`
  yield* sql`create index idempotency_open on idempotency (holder) where answer is null`
})

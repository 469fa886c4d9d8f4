import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** The first answers to requests with an `Idempotency-Key`. A row without `answer` stands for a request in progress. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    create table idempotency (
      tenant text not null,
      key text not null,
      fingerprint text not null,
      answer text,
      begun_at timestamptz not null,
      primary key (tenant, key)
    )`
  yield* sql`create index idempotency_by_age on idempotency (begun_at)`
})

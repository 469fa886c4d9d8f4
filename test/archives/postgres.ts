import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import * as Postgres from "../../src/layers/postgres/stores/PostgresArchiveStore.ts"
import { AddArchive } from "../memory/ArchiveStore.ts"
import { TestPostgres } from "../support/postgres.ts"

const add = Layer.effect(
  AddArchive,
  Effect.map(
    SqlClient.SqlClient,
    (sql): AddArchive["Service"] =>
      (tenant, archive) =>
        Effect.orDie(
          sql`with ended as (select ${tenant}::text as tenant)${Postgres.addArchive(sql, archive)} select 1 from ended`
        )
  )
)

/** The archives of a fresh database. */
export const layer = Layer.mergeAll(Postgres.layer, add).pipe(Layer.provide(TestPostgres))

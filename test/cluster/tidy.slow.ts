import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, layer } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { deleteOldMessages } from "../../src/layers/cluster/GatewayCluster.ts"
import { layerFromUrl } from "../../src/layers/postgres/Postgres.ts"
import { configuration } from "../support/conf.ts"
import { gateway, TestGateway } from "../support/gateway.ts"
import { freshDatabase } from "../support/postgres.ts"
import { until } from "../support/process.ts"
import { generator, tenantOf } from "../support/runs.ts"
import * as Members from "./members.ts"

const endless = generator(undefined, 5)

/** A gateway with a channel, and a client of its database beside it. */
const both = Layer.unwrap(
  Effect.gen(function* () {
    const url = yield* freshDatabase
    const { root, folderOf } = yield* configuration
    const folder = join(folderOf("mytenant"), "channels", "main")
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, "channel_structure.yaml"), "jobs: [{ name: a, runtime: stream }]")
    writeFileSync(join(folder, "a.yaml"), endless)
    return Layer.merge(gateway({ conf: root, databaseUrl: Redacted.value(url) }), Layer.orDie(layerFromUrl(url)))
  })
)

interface Message {
  readonly entity: string
  readonly done: boolean
}

layer(both, { excludeTestServices: true })("messages of the cluster", (it) => {
  const messages = Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    return yield* sql<Message>`
      select entity_id as entity, processed as done from flow_cluster_messages order by entity_type, id`
  })
  const replies = Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    return yield* sql<{ readonly orphan: boolean }>`
      select not exists (select 1 from flow_cluster_messages m where m.request_id = r.request_id) as orphan
      from flow_cluster_replies r`
  })
  /** The answer is written after the row that it is about. */
  const settled = (open: number) => until(messages, (all) => all.filter(({ done }) => !done).length === open)
  const age = (minutes: number) =>
    Effect.flatMap(
      SqlClient.SqlClient,
      (sql) => sql`update flow_cluster_messages set last_read = last_read - make_interval(mins => ${minutes})`
    )

  it.effect("go with their answers when they were answered a while ago; open ones stay and do their work", () =>
    Effect.gen(function* () {
      const { url } = yield* TestGateway
      const tenant = tenantOf(url)
      const running = yield* Effect.promise(async () => {
        for (let count = 0; count < 2; count++) await tenant.ended(await tenant.run(generator(1, 100)))
        // A stop answers the message of the start too.
        for (const word of ["start", "stop", "start"]) await Members.act(url, "main", word)
        await Members.until(url, "main", "ACTIVE")
        const id = await tenant.run(endless)
        await tenant.running(id)
        return id
      })
      yield* settled(2)
      const before = yield* messages
      expect(before.filter(({ done }) => done).length).toBeGreaterThanOrEqual(4)
      expect((yield* replies).length).toBe(before.filter(({ done }) => done).length)
      yield* deleteOldMessages
      // Not yet: a sender may still ask.
      expect(yield* messages).toEqual(before)
      yield* age(11)
      yield* deleteOldMessages
      expect(yield* messages).toEqual([
        { entity: `mytenant/${running}`, done: false },
        { entity: "mytenant/main/local/a", done: false }
      ])
      expect(yield* replies).toEqual([])
      yield* Effect.promise(async () => {
        expect((await tenant.detail(running)).state).toBe("RUNNING")
        expect((await tenant.cancel(running)).status).toBe(202)
        expect(await tenant.ended(running)).toMatchObject({ state: "CANCELLED" })
        expect(await Members.act(url, "main", "restart")).toBe(201)
        expect(await Members.act(url, "main", "stop")).toBe(204)
        await Members.until(url, "main", "STOPPED")
      })
      yield* settled(0)
      yield* age(11)
      yield* deleteOldMessages
      expect([yield* messages, yield* replies]).toEqual([[], []])
    })
  )

  it.effect("are removed all at once, however many there are", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      // `done` has an answer. The others have none, or an old one of a released run.
      yield* sql`
        insert into flow_cluster_messages (id, message_id, shard_id, entity_type, entity_id, kind, processed, request_id, last_read)
        select n, 'test/' || n, 'none:1', 'Nobody', 'nobody/' || n, 0, n % 100 <> 0, n, localtimestamp - interval '1 day'
        from generate_series(1, 2500) as n`
      yield* sql`
        insert into flow_cluster_replies (id, kind, request_id, payload)
        select id, 0, request_id, '{}' from flow_cluster_messages where processed`
      yield* deleteOldMessages
      const left = yield* messages
      expect([left.length, left.some(({ done }) => done)]).toEqual([25, false])
      expect(yield* replies).toEqual([])
      // Again changes nothing.
      yield* deleteOldMessages
      expect(yield* messages).toEqual(left)
    })
  )
})

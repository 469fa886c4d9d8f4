import { expect, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import * as IdempotencyStorePostgres from "../../src/layers/postgres/stores/PostgresIdempotencyStore.ts"
import { Gateway } from "../../src/services/runs/Gateway.ts"
import { IdempotencyKey, IdempotencyStore } from "../../src/services/shared/idempotency/IdempotencyStore.ts"
import { TenantId } from "../../src/services/shared/Tenant.ts"
import { TestPostgres } from "../support/postgres.ts"
import { type Running, site } from "../support/process-gateway.ts"
import { formOf, generator, tenantOf } from "../support/runs.ts"

const rounds = 5
const clients = 10
const deadly = 600

const pass = (millis: number) => new Promise<void>((done) => setTimeout(done, millis))

interface Request {
  readonly key: string
  readonly path: string
  readonly file?: string
}

/** The status, or 0 when there was no answer. */
const send = async (url: string, { key, path, file }: Request, patience?: number): Promise<number> => {
  const answer = await fetch(`${url}/v1/mytenant/${path}`, {
    method: "POST",
    headers: { "idempotency-key": key },
    ...(file === undefined ? {} : { body: formOf(file) }),
    ...(patience === undefined ? {} : { signal: AbortSignal.timeout(patience) })
  }).catch(() => undefined)
  await answer?.arrayBuffer().catch(() => undefined)
  return answer?.status ?? 0
}

it.live("what is asked for with a key is done once, however often gateways are killed and clients leave", () =>
  Effect.gen(function* () {
    const here = yield* site()
    yield* Effect.promise(async () => {
      let gateway: Running = await here.start()
      const { id: flowline } = await tenantOf(gateway.url).save(generator(1, 1000))
      const asked: Array<Request> = []
      for (let round = 0; round < rounds; round++) {
        const open = new Map<string, Request>()
        let isOver = false
        const client = async (number: number) => {
          for (let turn = 0; !isOver; turn++) {
            const key = `${round}-${number}-${turn}`
            const request: Request =
              number === 0
                ? { key, path: `flowline/${flowline}` }
                : { key, path: "flowline/save", file: generator(number, turn + 1) }
            asked.push(request)
            open.set(key, request)
            // Every other request is left in its midst.
            const status = await send(gateway.url, request, turn % 2 === 0 ? undefined : Math.ceil(Math.random() * 100))
            if (status === 200) open.delete(key)
            if (number === 0) await pass(100)
          }
        }
        const all = Array.from({ length: clients }, (_, number) => client(number))
        await pass(Math.random() * deadly)
        isOver = true
        await gateway.kill("SIGKILL")
        await Promise.all(all)
        gateway = await here.start()
        // Nothing is in progress after a crash.
        for (const request of open.values()) {
          expect([request, await send(gateway.url, request)]).toEqual([request, 200])
        }
      }
      const tenant = tenantOf(gateway.url)
      const saves = asked.filter(({ file }) => file !== undefined).length
      expect(await tenant.get<ReadonlyArray<object>>("flowline")).toHaveLength(saves + 1)
      const executions = await tenant.executions()
      expect(executions).toHaveLength(asked.length - saves)
      for (const { id } of executions) expect((await tenant.ended(id)).state).toBe("SUCCEEDED")
    })
  })
)

it.live("an answer may be larger than what the driver reads in one row", () =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* sql`insert into gateways (id, host, pid, address, seen_at) values ('one', 'here', 1, 'one', now())`
    const store = yield* IdempotencyStore
    const begin = store.begin(TenantId("mytenant"), IdempotencyKey("large"), "request")
    const begun = yield* begin
    if (begun._tag !== "New") return yield* Effect.die(begun._tag)
    // Its slices end within characters.
    const answer = `x${"é".repeat(9 * 2 ** 20)}`
    yield* store.commit(begun.claim, Effect.void, () => answer)
    const again = yield* begin
    expect(again._tag === "Answered" && again.answer === answer).toBe(true)
  }).pipe(
    Effect.provide(
      IdempotencyStorePostgres.layer.pipe(
        Layer.provide(Layer.succeed(Gateway, { id: "one", name: "one", address: "one" })),
        Layer.provideMerge(TestPostgres)
      )
    )
  )
)

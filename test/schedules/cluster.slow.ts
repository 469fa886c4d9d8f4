import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { PgClient } from "@effect/sql-pg"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import * as Reactivity from "effect/reactivity/Reactivity"
import { members } from "../cluster/members.ts"
import { freshDatabase } from "../support/postgres.ts"
import { eventually } from "../support/process.ts"
import type { Running } from "../support/process-gateway.ts"
import { generator, tenantOf } from "../support/runs.ts"

interface Row {
  readonly schedule: string
  readonly key: string
  readonly state: string
  readonly execution: string | null
}

/** Two gateways on one database, of which a test can see the rows. */
const two = Effect.gen(function* () {
  const url = yield* freshDatabase
  const sql = yield* PgClient.makeClient({ url }).pipe(Effect.provide(Reactivity.layer))
  const group = yield* members
  const start = () => group.start({ FLOW_DATABASE_URL: Redacted.value(url) })
  const rows = (schedule: string) =>
    Effect.runPromise(
      sql<Row>`
        select schedule, key, state, execution_id as execution from schedule_firings
        where schedule = ${schedule} order by id`
    )
  const send = async (gateway: Running, method: string, path: string, body?: unknown) => {
    const response = await fetch(`${gateway.url}/v1/mytenant/${path}`, {
      method,
      headers: { "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) })
    })
    const text = await response.text()
    if (!response.ok) throw new Error(`${response.status} ${text}`)
    return text === "" ? undefined : JSON.parse(text)
  }
  return { ...group, sql, start, rows, send }
})

/** One execution for each firing, and no other executions of its flowline. */
const expectOnce = async (gateway: Running, rows: ReadonlyArray<Row>) => {
  const listed = (await tenantOf(gateway.url).executions()).map(({ id }) => id)
  const started = rows.flatMap(({ execution }) => execution ?? [])
  expect(new Set(rows.map(({ key }) => key)).size).toBe(rows.length)
  expect(listed.toSorted()).toEqual(started.toSorted())
}

describe("schedules of two gateways on one database", () => {
  it.live("fire once for each time, also when the one that fires is killed", () =>
    Effect.gen(function* () {
      const { start, rows, send } = yield* two
      yield* Effect.promise(async () => {
        const gateways: Array<Running> = await Promise.all([start(), start()])
        const { id } = await tenantOf(gateways[0]!.url).save(generator(1, 1000))
        await send(gateways[0]!, "PUT", "schedules/ticks", {
          flowline: id,
          trigger: { every: "1s" },
          overlap: "allow",
          catchUp: "all"
        })
        await eventually("both have gone on for a while", async () => (await rows("ticks")).length >= 5)
        for (let round = 0; round < 2; round++) {
          const victim = gateways.shift()!
          await victim.kill("SIGKILL")
          const before = (await rows("ticks")).length
          await eventually("the other one goes on", async () => (await rows("ticks")).length >= before + 3)
          gateways.push(await start())
        }
        const last = gateways[0]!
        await send(last, "POST", "schedules/ticks/pause")
        const areOver = async () => (await rows("ticks")).every(({ state }) => !["WAITING", "STARTED"].includes(state))
        await eventually("all have ended", areOver)
        const found = await rows("ticks")
        expect(found.map(({ state }) => state)).toEqual(found.map(() => "SUCCEEDED"))
        // None is left out: nobody was away for longer than is made up for.
        const times = found.map(({ key }) => Date.parse(key.replace("time:", "")))
        const gaps = times
          .toSorted((a, b) => a - b)
          .map((at, index, all) => (index === 0 ? 1000 : at - all[index - 1]!))
        expect(gaps).toEqual(gaps.map(() => 1000))
        await expectOnce(last, found)
      })
    })
  )

  it.live("start each file and each time of a backfill once, whoever is killed meanwhile", () =>
    Effect.gen(function* () {
      const { start, rows, send, conf, sql } = yield* two
      yield* Effect.promise(async () => {
        const folder = join(conf.folderOf("mytenant"), "incoming")
        mkdirSync(folder, { recursive: true })
        const gateways = await Promise.all([start(), start()])
        const { id } = await tenantOf(gateways[0]!.url).save(generator(1, 1000))
        await send(gateways[0]!, "PUT", "schedules/files", {
          flowline: id,
          trigger: { file: { path: "incoming/*.csv", restsFor: "1s" } },
          overlap: "allow"
        })
        await send(gateways[1]!, "PUT", "schedules/hours", { flowline: id, trigger: { cron: "0 * * * *" } })
        for (let n = 0; n < 20; n++) writeFileSync(join(folder, `${n}.csv`), `${n}\n`)
        const range = { from: "2026-01-01T00:00:00Z", to: "2026-01-02T00:00:00Z", parallel: 4 }
        await send(gateways[1]!, "POST", "schedules/hours/backfill", range)
        await eventually("some have begun", async () =>
          (await rows("hours")).some(({ state }) => state === "SUCCEEDED")
        )
        await gateways[0]!.kill("SIGKILL")
        await gateways[1]!.kill("SIGKILL")
        const left = (await rows("hours")).filter(({ state }) => state === "WAITING")
        expect(left.length).toBeGreaterThan(0)
        const last = await start()
        const isDone = async () => {
          const all = [...(await rows("hours")), ...(await rows("files"))]
          return all.length === 44 && all.every(({ state }) => state === "SUCCEEDED")
        }
        await eventually("all have succeeded", isDone)
        await expectOnce(last, [...(await rows("hours")), ...(await rows("files"))])
        // A newly started gateway finds the files, and that they were fired.
        const other = await start()
        await last.kill("SIGKILL")
        writeFileSync(join(folder, "late.csv"), "late\n")
        await eventually("the new file has fired", async () => (await rows("files")).length === 21)
        await eventually("and has ended", async () => (await rows("files")).every(({ state }) => state === "SUCCEEDED"))
        await expectOnce(other, [...(await rows("hours")), ...(await rows("files"))])
        const known = await Effect.runPromise(sql`select 1 from schedule_files where fired`)
        expect(known).toHaveLength(21)
      })
    })
  )
})

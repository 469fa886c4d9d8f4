import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { eventually } from "../support/process.ts"
import { isAlive, postgresOf, runnersOf, signal, site } from "../support/process-gateway.ts"
import { type Detail, generator, tenantOf } from "../support/runs.ts"

const pidOf = ({ jobId }: Detail): number => Number(jobId?.split(":").at(-1))

const names = ({ events }: Detail) => events.map(({ event }) => event.replace("stream.application.", ""))

/** Whether each execution has ended with one start and one end event, and `RUNNING` ones have a live process. */
const checkAll = async (url: string, ids: ReadonlyArray<string>) => {
  const tenant = tenantOf(url)
  expect(new Set((await tenant.executions()).map(({ id }) => id))).toEqual(new Set(ids))
  for (const id of ids) {
    const detail = await tenant.ended(id, 30_000)
    expect([id, detail.state, detail.error, names(detail)]).toEqual([id, "SUCCEEDED", null, ["end", "start"]])
  }
}

describe("a gateway that is killed", () => {
  it.live("loses no execution: those that ran are run again, and their processes are gone", () =>
    Effect.gen(function* () {
      const here = yield* site()
      yield* Effect.promise(async () => {
        const first = await here.start()
        const tenant = tenantOf(first.url)
        const { id: flowline } = await tenant.save(generator(40, 10))
        const ids = await Promise.all(Array.from({ length: 4 }, () => tenant.execute(flowline)))
        const running = await Promise.all(ids.map((id) => tenant.running(id)))
        // A request that is under way when the process dies is either there afterwards or never was.
        const late = tenant.execute(flowline).catch(() => undefined)
        const children = [...new Set([...running.map(pidOf), ...runnersOf(first.pid)])]
        expect(children.some(isAlive)).toBe(true)
        expect(await first.kill("SIGKILL")).toMatchObject({ signal: "SIGKILL" })
        await eventually("the children are gone", () => !children.some(isAlive), 5000)
        const second = await here.start()
        const seen = await tenantOf(second.url).executions()
        for (const { id } of seen) {
          const detail = await tenantOf(second.url).detail(id)
          if (detail.state === "RUNNING") expect(isAlive(pidOf(detail)), id).toBe(true)
        }
        const known = await late
        await checkAll(second.url, seen.length === 5 || known !== undefined ? seen.map(({ id }) => id) : ids)
        expect(seen.map(({ id }) => id)).toEqual(expect.arrayContaining(ids))
      })
    })
  )

  it.live("three times under one execution leaves it lost, and says so", () =>
    Effect.gen(function* () {
      const here = yield* site()
      yield* Effect.promise(async () => {
        let gateway = await here.start()
        const id = await tenantOf(gateway.url).run(generator(undefined, 20))
        for (let death = 1; death <= 3; death++) {
          await tenantOf(gateway.url).running(id)
          await gateway.kill("SIGKILL")
          gateway = await here.start()
        }
        const detail = await tenantOf(gateway.url).ended(id)
        expect([detail.state, names(detail)]).toEqual(["LOST", ["failed", "start"]])
        expect(detail.error).toContain("3 times")
        expect(runnersOf(gateway.pid).length).toBeLessThan(2)
        const cancel = await tenantOf(gateway.url).cancel(id)
        expect([cancel.status, JSON.parse(await cancel.text()).state]).toEqual([409, "LOST"])
      })
    })
  )

  it.live("together with its PostgreSQL starts again with all that it had acknowledged", () =>
    Effect.gen(function* () {
      const here = yield* site({ embedded: true })
      yield* Effect.promise(async () => {
        const first = await here.start()
        const tenant = tenantOf(first.url)
        const saved = await Promise.all(
          Array.from({ length: 20 }, (_, index) => tenant.save(generator(index + 1, 500)))
        )
        const ids = await Promise.all(saved.slice(0, 4).map(({ id }) => tenant.execute(id)))
        signal([first.pid, ...postgresOf(here.data)], "SIGKILL")
        await first.exit
        const second = await here.start()
        const flowlines = await tenantOf(second.url).get<ReadonlyArray<{ id: string }>>("flowline")
        expect(new Set(flowlines.map(({ id }) => id))).toEqual(new Set(saved.map(({ id }) => id)))
        await checkAll(second.url, ids)
      })
    })
  )
})

describe("a gateway that is told to stop", () => {
  it.live("gives its runs back, and they go on at the next start; its children and PostgreSQL are gone", () =>
    Effect.gen(function* () {
      const here = yield* site({ embedded: true })
      yield* Effect.promise(async () => {
        const first = await here.start()
        const tenant = tenantOf(first.url)
        const { id: flowline } = await tenant.save(generator(60, 40))
        const ids = await Promise.all(Array.from({ length: 3 }, () => tenant.execute(flowline)))
        const running = await Promise.all(ids.map((id) => tenant.running(id)))
        const others = [...running.map(pidOf), ...runnersOf(first.pid), ...postgresOf(here.data)]
        const { code } = await first.kill("SIGTERM")
        expect(code).toBe(0)
        await eventually("nothing of it is left", () => !others.some(isAlive), 3000)
        const second = await here.start()
        await checkAll(second.url, ids)
        expect((await second.kill("SIGINT")).code).toBe(0)
      })
    })
  )
})

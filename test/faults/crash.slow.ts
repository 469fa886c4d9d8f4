import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { putCluster } from "../support/postgresServer.ts"
import { eventually } from "../support/process.ts"
import { isAlive, postgresOf, runnersOf, signal, site } from "../support/process-gateway.ts"
import { type Detail, generator, tenantOf } from "../support/runs.ts"

const pidOf = ({ jobId }: Detail): number => Number(jobId?.split(":").at(-1))

const names = ({ events }: Detail) => events.map(({ event }) => event.replace("stream.application.", ""))

/** Each execution ends with one start and one end event, and there are no others. */
const checkAll = async (url: string, ids: ReadonlyArray<string>) => {
  const tenant = tenantOf(url)
  expect(new Set((await tenant.executions()).map(({ id }) => id))).toEqual(new Set(ids))
  for (const id of ids) {
    const detail = await tenant.ended(id)
    expect([id, detail.state, detail.error, names(detail)]).toEqual([id, "SUCCEEDED", null, ["end", "start"]])
  }
}

describe("a gateway that is killed", () => {
  it.live("loses no execution: those that ran are run again, and one that it has died under three times is lost", () =>
    Effect.gen(function* () {
      const here = yield* site()
      yield* Effect.promise(async () => {
        let gateway = await here.start()
        const tenant = tenantOf(gateway.url)
        const { id: flowline } = await tenant.save(generator(40, 10))
        const bounded = [await tenant.execute(flowline)]
        const deadly = await tenant.run(generator(undefined, 5))
        const running = await Promise.all([...bounded, deadly].map((id) => tenant.running(id)))
        // A request that is under way when the process dies is either there afterwards or never was.
        const late = tenant.execute(flowline).catch(() => undefined)
        const children = [...new Set([...running.map(pidOf), ...runnersOf(gateway.pid)])]
        expect(children.some(isAlive)).toBe(true)
        expect(await gateway.kill("SIGKILL")).toMatchObject({ signal: "SIGKILL" })
        await eventually("the children are gone", () => !children.some(isAlive))

        gateway = await here.start()
        const second = tenantOf(gateway.url)
        const seen = (await second.executions()).map(({ id }) => id)
        const known = await late
        expect(seen).toEqual(expect.arrayContaining([...bounded, deadly, ...(known === undefined ? [] : [known])]))
        expect(seen.length).toBeLessThanOrEqual(3)
        expect(isAlive(pidOf(await second.running(deadly)))).toBe(true)
        for (const id of seen.filter((id) => id !== deadly)) {
          const detail = await second.ended(id)
          expect([detail.state, detail.error, names(detail)]).toEqual(["SUCCEEDED", null, ["end", "start"]])
        }

        for (let death = 2; death <= 3; death++) {
          await tenantOf(gateway.url).running(deadly)
          await gateway.kill("SIGKILL")
          gateway = await here.start()
        }
        const detail = await tenantOf(gateway.url).ended(deadly)
        expect([detail.state, names(detail)]).toEqual(["LOST", ["failed", "start"]])
        expect(detail.error).toContain("3 times")
        expect(runnersOf(gateway.pid).length).toBeLessThan(2)
        const cancel = await tenantOf(gateway.url).cancel(deadly)
        expect([cancel.status, JSON.parse(await cancel.text()).state]).toEqual([409, "LOST"])
      })
    })
  )
})

describe("a gateway that is told to stop", () => {
  it.live("gives its runs back and leaves no process; one killed with its PostgreSQL has all it acknowledged", () =>
    Effect.gen(function* () {
      const here = yield* site({ embedded: true })
      yield* putCluster(here.data)
      yield* Effect.promise(async () => {
        const first = await here.start()
        const { id: flowline } = await tenantOf(first.url).save(generator(60, 40))
        const ids = [await tenantOf(first.url).execute(flowline)]
        const running = await Promise.all(ids.map((id) => tenantOf(first.url).running(id)))
        const others = [...running.map(pidOf), ...runnersOf(first.pid), ...postgresOf(here.data)]
        const { code } = await first.kill("SIGTERM")
        expect(code).toBe(0)
        await eventually("nothing of it is left", () => !others.some(isAlive))

        const second = await here.start()
        await checkAll(second.url, ids)
        const tenant = tenantOf(second.url)
        const saved = await Promise.all(
          Array.from({ length: 10 }, (_, index) => tenant.save(generator(index + 1, 500)))
        )
        ids.push(...(await Promise.all(saved.slice(0, 1).map(({ id }) => tenant.execute(id)))))
        signal([second.pid, ...postgresOf(here.data)], "SIGKILL")
        await second.exit

        const third = await here.start()
        const flowlines = await tenantOf(third.url).get<ReadonlyArray<{ id: string }>>("flowline")
        expect(new Set(flowlines.map(({ id }) => id))).toEqual(new Set([flowline, ...saved.map(({ id }) => id)]))
        await checkAll(third.url, ids)
        expect((await third.kill("SIGINT")).code).toBe(0)
      })
    })
  )
})

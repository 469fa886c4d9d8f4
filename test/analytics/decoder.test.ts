import { expect, layer } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import * as Threads from "../../src/layers/decoder/DecoderThreads.ts"
import { TenantId } from "../../src/services/shared/Tenant.ts"
import { decodeThere as decode } from "../flowlines/read.ts"
import { childrenOf, commandOf } from "../support/process-gateway.ts"

const file = (statement: string, type = "sql", more: object = {}, rows: ReadonlyArray<object> = []) => ({
  name: "flowline.json",
  bytes: new TextEncoder().encode(
    JSON.stringify({
      ...more,
      runtime: "analytics",
      dag: [
        { type: "dataset_generator", settings: { rows }, publish: [{ stream: "out" }] },
        {
          type: "TYPE",
          component: "query",
          settings: { statement },
          subscribe: [{ component: "dataset_generator", stream: "out" }],
          publish: [{ stream: "out" }]
        },
        { type: "show", subscribe: [{ component: "query", stream: "out" }] }
      ]
    }).replace("TYPE", type)
  )
})

layer(Threads.layer, { excludeTestServices: true })("the SQL of a flowline file", (it) => {
  it.effect("is read, also when the file hides the word", () =>
    Effect.gen(function* () {
      expect((yield* decode(file("FROM dataset_generator"))).flowline.dag).toHaveLength(3)
      for (const type of ["sql", "\\u0073ql"]) {
        const { issues } = yield* Effect.flip(decode(file("FROM elsewhere", type)))
        expect(issues).toMatchObject([{ pointer: "/dag/1/settings/statement" }])
      }
    })
  )

  it.effect("is told of beside all other faults, in the order of the file", () =>
    Effect.gen(function* () {
      for (const description of ["x", "x".repeat(40_000)]) {
        const { issues } = yield* Effect.flip(
          decode(file("SELECT\nx FROM elsewhere", "sql", { description, colour: 1 }))
        )
        expect(issues).toMatchObject([
          { pointer: "/colour", line: 1 },
          { pointer: "/dag/1/settings/statement", line: 1 }
        ])
      }
    })
  )

  it.effect("is given up without harm when nobody waits for it, or when its process dies", () =>
    Effect.gen(function* () {
      const large = file(`SELECT 1${", a + 1".repeat(150_000)} FROM dataset_generator`)
      for (const millis of [20, 100, 250]) yield* Effect.timeoutOption(decode(large), millis)
      expect((yield* decode(file("FROM dataset_generator"))).flowline.dag).toHaveLength(3)
    })
  )
})

const processor = 3000

const giveUp = 600_000

layer(Threads.limited({ processor: giveUp, wall: giveUp }), { excludeTestServices: true })(
  "the memory of a check",
  (it) => {
    it.effect.skipIf(process.platform !== "linux")("is limited, also that which DuckDB does not count", () =>
      Effect.gen(function* () {
        const large = `SELECT repeat(repeat('x', 1000000), 3000) AS x FROM dataset_generator`
        const { issues } = yield* Effect.flip(decode(file(large, "sql", {}, [{ a: 1 }])))
        expect(issues?.map(({ detail }) => detail)).toEqual([expect.stringContaining("too much memory")])
        expect((yield* decode(file("FROM dataset_generator"))).flowline.dag).toHaveLength(3)
      })
    )
  }
)

/** The pids of this process's children that read SQL. */
const sqlProcesses = (): ReadonlyArray<number> =>
  childrenOf(process.pid).filter((pid) => /decoder\/sql\.|\/sql\.js/.test(commandOf(pid)))

layer(Threads.limited({ processor, wall: 200_000 }), { excludeTestServices: true })(
  "a process without processor",
  (it) => {
    it.effect("is waited for: its time is what it had of the processor", () =>
      Effect.gen(function* () {
        const before = new Set(sqlProcesses())
        yield* decode(file("FROM dataset_generator"))
        const pid = sqlProcesses().find((pid) => !before.has(pid))
        if (pid === undefined) throw new Error("no process")
        process.kill(pid, "SIGSTOP")
        const decoding = yield* Effect.forkChild(decode(file("FROM dataset_generator AS d")))
        // The one thing that is waited for is the clock: it goes on beyond the limit.
        yield* Effect.sleep(processor + 1000)
        expect(decoding.pollUnsafe()).toBeUndefined()
        process.kill(pid, "SIGCONT")
        expect((yield* Fiber.join(decoding)).flowline.dag).toHaveLength(3)
        expect(sqlProcesses()).toContain(pid)
      })
    )

    it.effect("says nothing about its file when Linux kills it", () =>
      Effect.gen(function* () {
        yield* decode(file("FROM dataset_generator"))
        const [pid] = sqlProcesses()
        if (pid === undefined) throw new Error("no process")
        process.kill(pid, "SIGSTOP")
        const decoding = yield* Effect.forkChild(decode(file("FROM dataset_generator")), { startImmediately: true })
        process.kill(pid, "SIGKILL")
        const refused = yield* Effect.exit(Fiber.join(decoding))
        expect(String(refused)).toContain("cannot start another thread or process now")
        expect((yield* decode(file("FROM dataset_generator"))).flowline.dag).toHaveLength(3)
      })
    )
  }
)

layer(Threads.limited({ processor: 600_000, wall: 600_000 }), { excludeTestServices: true })(
  "files of a tenant that take long",
  (it) => {
    it.effect("hold up no other tenant, and wait in a queue that has an end", () =>
      Effect.gen(function* () {
        const of = (tenant: string) => decode(file("FROM dataset_generator"), { tenant: TenantId(tenant) })
        const before = new Set(sqlProcesses())
        yield* of("busy")
        const pid = sqlProcesses().find((pid) => !before.has(pid))
        if (pid === undefined) throw new Error("no process")
        process.kill(pid, "SIGSTOP")
        const waiting = yield* Effect.forEach(Array(17), () => Effect.forkChild(of("busy"), { startImmediately: true }))
        expect((yield* of("other")).flowline.dag).toHaveLength(3)
        const refused = yield* Effect.exit(of("busy"))
        expect(String(refused)).toContain("16 flowlines of this tenant are already waiting to be validated")
        expect(waiting.every((fiber) => fiber.pollUnsafe() === undefined)).toBe(true)
        process.kill(pid, "SIGCONT")
        for (const fiber of waiting) expect((yield* Fiber.join(fiber)).flowline.dag).toHaveLength(3)
      })
    )
  }
)

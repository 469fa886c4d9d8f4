import { chownSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { eventually } from "../support/process.ts"
import { isAlive, pidsWhere, site } from "../support/process-gateway.ts"
import { tenantOf } from "../support/runs.ts"
import { asOrdinary, othersHavePython, systemPython, withoutAdmin } from "./machines.ts"
import { isRoot } from "./victim.ts"

const writing = JSON.stringify({
  runtime: "stream",
  dag: [
    { type: "generator_input", settings: { messages: ["hello"], count: 1 }, publish: [{ stream: "out" }] },
    {
      type: "file_output",
      settings: { path: "out.ndjson" },
      subscribe: [{ component: "generator_input", stream: "out" }]
    }
  ]
})

const partsOf = async (url: string): Promise<ReadonlyArray<string>> => {
  let parts: ReadonlyArray<string> | undefined
  await eventually("readiness tells the isolation of runs", async () => {
    const ready = (await (await fetch(`${url}/health/ready`)).json()) as {
      readonly isolation?: { readonly runs?: ReadonlyArray<string> }
    }
    parts = ready.isolation?.runs
    return parts !== undefined
  })
  return parts ?? []
}

/** A gateway that is started through a command, as the user of this number. */
const gateway = Effect.fnUntraced(function* (
  through: ReadonlyArray<string>,
  user = 0,
  variables: Readonly<Record<string, string>> = {}
) {
  const here = yield* site({ through, variables })
  chownSync(here.data, user, user)
  const running = yield* Effect.promise(() => here.start())
  return { ...running, data: here.data, tenant: tenantOf(running.url) }
})

describe.skipIf(!isRoot || process.platform !== "linux")("runs on machines of all sorts", () => {
  it.live("have a view of their own where the gateway is root's, and nothing stays of them or of the gateway", () =>
    Effect.gen(function* () {
      const { data, kill, tenant, url } = yield* gateway([])
      yield* Effect.promise(async () => {
        expect(await partsOf(url)).toEqual(["files", "processes", "user", "privileges"])
        const detail = await tenant.ended(await tenant.run(writing))
        expect([detail.state, detail.error]).toEqual(["SUCCEEDED", null])
        expect(readFileSync(join(data, "blobs/mytenant/data/out.ndjson"), "utf8")).toContain("hello")
        const isOurs = (pid: number) => {
          try {
            return readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(data)
          } catch {
            return false
          }
        }
        await eventually("a run waits", () => pidsWhere(isOurs).length > 0)
        const waiting = pidsWhere(isOurs)
        await kill("SIGKILL")
        await eventually("no process is left", () => !waiting.some(isAlive))
        expect(readFileSync("/proc/self/mountinfo", "utf8")).not.toContain(data)
      })
    })
  )

  it.live.skipIf(!othersHavePython)("have one without another user where it is an ordinary user's", () =>
    Effect.gen(function* () {
      const { data, tenant, url } = yield* gateway(asOrdinary, 65_534)
      yield* Effect.promise(async () => {
        expect(await partsOf(url)).toEqual(["files", "processes", "privileges"])
        const detail = await tenant.ended(await tenant.run(writing))
        expect([detail.state, detail.error]).toEqual(["SUCCEEDED", null])
        expect(readFileSync(join(data, "blobs/mytenant/data/out.ndjson"), "utf8")).toContain("hello")
      })
    })
  )

  it.live("run without it where there are no namespaces, and are refused where it is required", () =>
    Effect.gen(function* () {
      const through = [...withoutAdmin, "env", `PATH=${systemPython}`]
      const lacking = yield* gateway(through)
      const strict = yield* gateway(through, 0, { FLOW_ISOLATION: "required" })
      yield* Effect.promise(async () => {
        expect(await partsOf(lacking.url)).toEqual([])
        const detail = await lacking.tenant.ended(await lacking.tenant.run(writing))
        expect([detail.state, detail.error]).toEqual(["SUCCEEDED", null])
        const refused = await strict.tenant.ended(await strict.tenant.run(writing))
        expect([refused.state, refused.error]).toEqual([
          "FAILED",
          expect.stringContaining("FLOW_ISOLATION is required, and this machine lacks files")
        ])
      })
    })
  )

  it.live("run without it where there is no Python", () =>
    Effect.gen(function* () {
      const { tenant, url } = yield* gateway(["env", "PATH=/nowhere"])
      yield* Effect.promise(async () => {
        expect(await partsOf(url)).toEqual([])
        const detail = await tenant.ended(await tenant.run(writing))
        expect([detail.state, detail.error]).toEqual(["SUCCEEDED", null])
      })
    })
  )
})

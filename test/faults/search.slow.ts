import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { putCluster } from "../support/postgresServer.ts"
import { eventually } from "../support/process.ts"
import { postgresOf, type Running, runnersOf, signal, site } from "../support/process-gateway.ts"
import { tenantOf } from "../support/runs.ts"
import { unzip } from "../support/zip.ts"

/** Few and large: it is bytes that fill buffers. */
const documents = 800
const index = "mytenant-outage"

/** Writes more than fits into the buffers between PostgreSQL and a run that reads it. */
const filling = (rate: number, count = documents) => `
runtime: stream
dag:
  - type: generator_input
    settings: { messages: [ { pad: "${"x".repeat(20_000)}" } ], count: ${count}, rate: ${rate} }
    publish: [ { stream: out } ]
  - type: search_output
    settings: { index: ${index} }
    subscribe: [ { component: generator_input, stream: out } ]
`

/** What an extraction runs, with a brake in the middle. */
const extracting = (rate: number) => `
runtime: stream
dag:
  - type: search_input
    settings: { index: ${index}, values: exact, count: true }
    publish: [ { stream: found } ]
  - type: rate_limit
    settings: { records_per_second: ${rate} }
    subscribe: [ { component: search_input, stream: found } ]
    publish: [ { stream: slow } ]
  - type: extraction_output
    settings: { format: json, index: ${index} }
    subscribe: [ { component: rate_limit, stream: slow } ]
`

const ready = (gateway: Running) =>
  eventually("the gateway is ready", () => fetch(`${gateway.url}/health/ready`).then(({ status }) => status === 200))

const json = (body: object): RequestInit => ({
  method: "POST",
  headers: { "content-type": "application/json" },
  body: JSON.stringify(body)
})

interface Counted {
  readonly nodes: ReadonlyArray<{ readonly component: string; readonly recordsOut: number; readonly total?: number }>
}

const callsOf = (gateway: Running) => {
  const base = `${gateway.url}/v1/mytenant`
  const tenant = tenantOf(gateway.url)
  const counts = async (id: string) =>
    (await tenant.get<Counted>(`flowline/${id.slice(0, 20)}/executions/${id}`)).nodes[0]
  const total = async () => {
    const answer = await fetch(`${base}/search`, json({ index, limit: 1, total: true }))
    return ((await answer.json()) as { readonly total?: number }).total
  }
  /** Whether the run gave an archive, which then has all of the documents, each of them once. */
  const archived = async (id: string): Promise<boolean> => {
    const { state, archive } = await tenant.ended(id)
    const answer = await fetch(`${base}/archives/${id}`)
    if (state !== "SUCCEEDED") {
      expect([state, archive, answer.status]).toEqual(["FAILED", null, 404])
      return false
    }
    const [data] = unzip(Buffer.from(await answer.arrayBuffer()))
    expect(data!.bytes.toString().split("\n")).toHaveLength(documents + 1)
    expect(await counts(id)).toMatchObject({ recordsOut: documents, total: documents })
    return true
  }
  const started = async (rate = 500) => {
    const id = await tenant.run(extracting(rate))
    await eventually("documents are read", async () => ((await counts(id))?.recordsOut ?? 0) > 0)
    return id
  }
  return { base, tenant, total, archived, started }
}

describe("a search", () => {
  it.live("leaves no archive with fewer documents, whoever dies or freezes, and writes each of them once", () =>
    Effect.gen(function* () {
      const here = yield* site({ embedded: true })
      yield* putCluster(here.data)
      yield* Effect.promise(async () => {
        const gateway = await here.start()
        const { base, tenant, total, archived, started } = callsOf(gateway)
        const writing = await tenant.run(filling(400))
        await eventually("documents are written", async () => ((await total()) ?? 0) > 0)
        signal(postgresOf(here.data), "SIGKILL")
        await ready(gateway)
        expect(await tenant.ended(writing)).toMatchObject({ state: "SUCCEEDED", error: null })
        expect(await total()).toBe(documents)

        const reading = await started()
        signal(postgresOf(here.data), "SIGKILL")
        await ready(gateway)
        expect(await archived(reading)).toBe(true)

        const killed = await started(20)
        const process = Number((await tenant.detail(killed)).jobId?.split(":").at(-1))
        expect(runnersOf(gateway.pid)).toContain(process)
        signal([process], "SIGKILL")
        expect(await archived(killed)).toBe(false)

        const run = await started()
        const frozen = postgresOf(here.data)
        signal(frozen, "SIGSTOP")
        try {
          const calls: ReadonlyArray<readonly [string, RequestInit?]> = [
            ["indices"],
            ["search", json({ index })],
            ["search", json({ index, total: true, query: { term: { pad: "y" } } })],
            [`indices/${index}`, { method: "DELETE" }],
            [`indices/${index}?before=now-1d`, { method: "DELETE" }],
            ["extraction", json({ index, format: "csv" })]
          ]
          const answers = calls.map(async ([path, init]) => {
            const answer = await fetch(`${base}/${path}`, { ...init, signal: AbortSignal.timeout(90_000) })
            return [path, answer.status, ((await answer.json()) as { readonly storage?: string }).storage]
          })
          for (const [at, answer] of (await Promise.all(answers)).entries()) {
            expect(answer).toEqual([calls[at]![0], 504, "metadata"])
          }
        } finally {
          signal(frozen, "SIGCONT")
        }
        await ready(gateway)
        await archived(run)
        // A removal whose answer was 504 may have happened.
        const left = await total()
        expect([undefined, documents]).toContain(left)
        if (left === undefined)
          expect(await tenant.ended(await tenant.run(filling(100_000)))).toMatchObject({ error: null })
        expect(await archived(await tenant.run(extracting(1_000_000)))).toBe(true)

        const adopted = await started()
        await gateway.kill("SIGKILL")
        expect(await callsOf(await here.start()).archived(adopted)).toBe(true)
      })
    })
  )
})

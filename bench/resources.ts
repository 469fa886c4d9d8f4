import { PgClient } from "@effect/sql-pg"
import { Effect, Redacted } from "effect"
import { Reactivity } from "effect/reactivity"
import { SqlClient } from "effect/sql"
import { startBundled } from "../src/drivers/Programs.ts"
import { versionKey } from "../src/services/artifacts/VersionKey.ts"
import { startTestServer } from "../test/support/postgresServer.ts"
import { startProcess, temporary } from "../test/support/process-gateway.ts"
import { pinned } from "./measure.ts"

// Reads of artifacts in a tenant with 100 000 of them, compared with the same reads in a tenant with ten: a page of the
// list, metadata of a version, the latest version. Medians of alternating requests to one gateway over one connection.

await pinned(import.meta.filename)

const artifacts = Number(process.env["BENCH_ARTIFACTS"] ?? 100_000)
const requests = Number(process.env["BENCH_REQUESTS"] ?? 300)

const fill = (tenant: string, count: number) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const key = versionKey("1.0.0")
    for (let from = 0; from < count; from += 10_000) {
      const to = Math.min(count, from + 10_000) - 1
      yield* sql`insert into artifacts select ${tenant}, 'group.' || n / 1000, 'artifact-' || n, ${key}
        from generate_series(${from}::integer, ${to}::integer) n`
      yield* sql`insert into artifact_versions select ${tenant}, 'group.' || n / 1000, 'artifact-' || n, ${key}, '1.0.0',
        'FILE', json_build_object('group', 'group.' || n / 1000, 'artifact', 'artifact-' || n, 'version', '1.0.0', 'type',
        'FILE', 'file', 'f', 'size', 1, 'sha256', ${"0".repeat(64)}::text)::text, '{}', ${"0".repeat(64)}, 1
        from generate_series(${from}::integer, ${to}::integer) n`
    }
    yield* sql`analyze`
  })

const median = (values: ReadonlyArray<number>) => [...values].sort((a, b) => a - b)[values.length >> 1] ?? 0

const time = (url: string) =>
  Effect.promise(async () => {
    const started = performance.now()
    const answer = await fetch(url)
    await answer.arrayBuffer()
    if (answer.status !== 200) throw new Error(`${url} answered ${answer.status}`)
    return performance.now() - started
  })

const bench = Effect.fnUntraced(function* (url: string) {
  yield* fill("othertenant", 10)
  yield* fill("mytenant", artifacts)
  console.log(`what | ${artifacts} artifacts | 10 artifacts | ratio | target`)
  const middle = Math.floor(artifacts / 2)
  const name = (n: number) => `group=group.${Math.floor(n / 1000)}&artifact=artifact-${n}`
  const reads: ReadonlyArray<readonly [what: string, large: string, small: string]> = [
    ["first page of 10", "list?limit=10", "list?limit=10"],
    [
      "page of 10 of one group",
      `list?limit=10&group=group.${Math.floor(middle / 1000)}`,
      "list?limit=10&group=group.0"
    ],
    ["latest version", `metadata?${name(middle)}`, `metadata?${name(5)}`],
    ["a version", `metadata?${name(middle)}&version=1.0.0`, `metadata?${name(5)}&version=1.0.0`]
  ]
  for (const [what, large, small] of reads) {
    const times: Array<readonly [number, number]> = []
    for (let at = 0; at < requests; at++) {
      times.push([
        yield* time(`${url}/v1/mytenant/resources/${large}`),
        yield* time(`${url}/v1/othertenant/resources/${small}`)
      ])
    }
    const [ours, theirs] = [0, 1].map((n) => median(times.slice(20).map((pair) => pair[n]!)))
    console.log(`${what} | ${ours!.toFixed(2)} ms | ${theirs!.toFixed(2)} ms | ${(ours! / theirs!).toFixed(2)} | 2`)
  }
})

const whole = Effect.gen(function* () {
  const database = yield* startTestServer
  const data = yield* temporary
  // As `npm start` runs it, without the source files.
  startBundled()
  const gateway = startProcess({ FLOW_DATA: data, FLOW_DATABASE_URL: Redacted.value(database) })
  const { url } = yield* Effect.promise(gateway.ready)
  const client = yield* PgClient.make({ url: database })
  yield* Effect.provideService(bench(url), SqlClient.SqlClient, client)
  gateway.process.kill("SIGTERM")
  yield* Effect.promise(() => gateway.exit)
})

await Effect.runPromise(Effect.scoped(whole).pipe(Effect.provide(Reactivity.layer)))

import { mkdirSync, writeFileSync } from "node:fs"
import { statfs } from "node:fs/promises"
import { join } from "node:path"
import { expect, it, layer } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { makeIssuerKeys } from "../src/layers/access/IssuerKeys.ts"
import * as BlobCheck from "../src/services/blobs/BlobCheck.ts"
import { BlobSweep } from "../src/services/blobs/BlobSweep.ts"
import * as Retention from "../src/services/retention/Retention.ts"
import { takeMeasurements } from "../src/services/shared/process/ObservableMetrics.ts"
import { Settings } from "../src/services/shared/settings/Settings.ts"
import { TenantId } from "../src/services/shared/Tenant.ts"
import { ask, form } from "./resources/support.ts"
import { configuration } from "./support/conf.ts"
import { read, section } from "./support/documents.ts"
import { gateway, raw, TestGateway } from "./support/gateway.ts"
import { until } from "./support/process.ts"
import { type Family, parseMetrics } from "./support/prometheus.ts"
import { generator, tenantOf } from "./support/runs.ts"

const page = read("docs/metrics.md")

const rowsOf = (markdown: string): ReadonlyArray<ReadonlyArray<string>> =>
  [...markdown.matchAll(/^\| (.+) \|$/gm)].map(([, row = ""]) => row.split(/\s*\|\s*/))

const words = (cell = ""): ReadonlyArray<string> => [...cell.matchAll(/`([^`]+)`/g)].map(([, word = ""]) => word)

/** The rows of the page's tables of metrics. */
const documented = rowsOf(page)
  .filter(([, type = ""]) => ["gauge", "counter", "histogram"].includes(type))
  .map(([name, type, labels]) => ({ name: words(name)[0], type, labels: words(labels).toSorted() }))

/** The words of a label that a table of the page explains. */
const explained = (heading: string, label: string): ReadonlyArray<string> => {
  const rows = rowsOf(section(page, heading))
  const from = rows.findIndex(([first]) => first === `\`${label}\``)
  return rows.slice(from + 1).flatMap(([first]) => words(first))
}

const executions = { executions: { number: 1 }, archives: {}, versions: {}, documents: {}, audit: {} } as const

/** A channel with a job that runs, and one whose input is missing. */
const channel = (folder: string) => {
  mkdirSync(join(folder, "channels/main"), { recursive: true })
  const write = (name: string, text: string) => writeFileSync(join(folder, "channels/main", name), text)
  const restart = "restart: { initial: 10ms, max: 20ms, perHour: 1 }"
  write("channel_structure.yaml", `jobs: [{ name: good, runtime: stream }, { name: bad, runtime: stream, ${restart} }]`)
  write("good.yaml", generator(undefined, 50))
  write(
    "bad.yaml",
    generator(undefined, 50)
      .replace(/settings: .*/, "settings: { path: no.log }")
      .replaceAll("generator_input", "file_input")
  )
}

/** A gateway that immediately does what others do periodically. */
const Used = Layer.unwrap(
  Effect.map(configuration, ({ root, folderOf }) => {
    channel(folderOf("mytenant"))
    const dryRun = Layer.effect(
      Settings,
      Effect.map(Settings, (settings) => ({ ...settings, retention: { mode: "dry-run" as const, ...executions } }))
    )
    return Layer.mergeAll(
      Retention.schedule("300 millis"),
      Layer.provide(Retention.schedule("300 millis"), dryRun),
      BlobCheck.layer({ bytesPerSecond: 1e9, every: "300 millis", pause: "300 millis" })
    ).pipe(
      Layer.provideMerge(
        gateway({
          conf: root,
          retention: { mode: "on", ...executions },
          runs: { all: 1, each: 1 },
          quota: { bytes: 100_000, entries: undefined }
        })
      ),
      Layer.orDie
    )
  })
)

const scrape = Effect.flatMap(raw("/metrics"), (answer) => Effect.promise(() => answer.text())).pipe(
  Effect.map(parseMetrics)
)

/** The value of the sample with these labels; undefined without one. */
const valueOf = (families: ReadonlyArray<Family>, name: string, labels: Readonly<Record<string, string>> = {}) =>
  families
    .find((family) => family.name === name)
    ?.samples.find((sample) => Object.entries(labels).every(([label, value]) => sample.labels[label] === value))?.value

const labelled = (families: ReadonlyArray<Family>, name: string, label: string) =>
  families.find((family) => family.name === name)?.samples.map(({ labels }) => labels[label])

layer(Used, { excludeTestServices: true })("the metrics of a gateway that has been used", (it) => {
  it.effect("are those of the page, with their types and labels, and each has a help", () =>
    Effect.gen(function* () {
      const { url } = yield* TestGateway
      const base = "/v1/mytenant"
      const tenant = tenantOf(url)
      expect((yield* ask(`${base}/channels/main/start`, { method: "POST" })).status).toBe(201)
      yield* ask(`${base}/registry`, { method: "POST", body: form({ file: { bytes: "one" }, path: "a.txt" }) })
      const large = form({ file: { bytes: "x".repeat(100_001) }, path: "b.txt" })
      expect((yield* ask(`${base}/registry`, { method: "POST", body: large })).status).toBe(413)
      const { id } = yield* Effect.promise(() => tenant.save(generator(2, 1000)))
      for (let n = 0; n < 2; n++) {
        yield* Effect.promise(async () => tenant.ended(await tenant.execute(id)))
      }
      const schedule = JSON.stringify({ flowline: id, trigger: { every: "1d" } })
      const json = { "content-type": "application/json" }
      yield* ask(`${base}/schedules/used`, { method: "PUT", headers: json, body: schedule })
      yield* ask(`${base}/schedules/used/run`, { method: "POST" })
      yield* (yield* BlobSweep).tidy(TenantId("mytenant"))
      const keysOf = makeIssuerKeys(
        "https://issuer.example",
        undefined,
        () => Promise.reject("away"),
        yield* Effect.scope
      )
      yield* keysOf({ alg: "ES256" })
      const missing = Effect.map(scrape, (all) => {
        const names = new Set(all.map(({ name }) => name))
        return documented.flatMap(({ name = "" }) => (names.has(name) ? [] : [name]))
      })
      yield* until(missing, (names) => names.length === 0)
      const families = yield* scrape
      expect(
        families.map(({ name, type, labels }) => ({ name, type, labels: labels.toSorted() })).toSorted(byName)
      ).toEqual(documented.toSorted(byName))
      // Prometheus sees the first restart of a job only as an increase from 0.
      expect(valueOf(families, "flow_job_restarts_total", { job: "good" })).toBe(0)
      expect(labelled(families, "flow_queue_waiting", "queue")?.toSorted()).toEqual(
        explained("## Queues", "queue").toSorted()
      )
      expect(labelled(families, "flow_database_connections_idle", "pool")?.toSorted()).toEqual(
        explained("## Database and disks", "pool").toSorted()
      )
    })
  )

  it.effect("tell what waits, what it is, and how full its disk is", () =>
    Effect.gen(function* () {
      const { url, client, settings } = yield* TestGateway
      const tenant = tenantOf(url)
      const ids = yield* Effect.promise(() => Promise.all([1, 2, 3].map(() => tenant.run(generator(undefined, 5)))))
      const counts = (families: ReadonlyArray<Family>) => [
        valueOf(families, "flow_executions_running"),
        valueOf(families, "flow_executions_pending", { tenant: "mytenant" }),
        valueOf(families, "flow_executions_pending", { tenant: "othertenant" }),
        valueOf(families, "flow_queue_waiting", { queue: "executions" }),
        valueOf(families, "flow_queue_places_used", { queue: "executions" }),
        valueOf(families, "flow_queue_places", { queue: "executions" })
      ]
      yield* until(Effect.map(scrape, counts), (seen) => seen.join() === "1,2,0,2,1,1")
      // Those that wait go first, so that none of them starts.
      const waitingFirst = (yield* Effect.promise(() => Promise.all(ids.map(tenant.detail)))).toSorted(
        (one, other) => Number(one.state === "RUNNING") - Number(other.state === "RUNNING")
      )
      for (const { id: executionId } of waitingFirst) {
        const flowlineId = executionId.slice(0, 20)
        yield* client.executions.cancel({ params: { tenant: "mytenant", flowlineId, executionId } })
      }
      yield* until(Effect.map(scrape, counts), (seen) => seen.join() === "0,0,0,0,0,1")
      const families = yield* scrape
      const { version } = JSON.parse(read("package.json"))
      expect(valueOf(families, "flow_build_info", { version, node: process.versions.node })).toBe(1)
      const { bsize, blocks, bfree, bavail } = yield* Effect.promise(() => statfs(settings.data))
      for (const folder of ["data", "blobs"]) {
        const free = valueOf(families, "flow_disk_free_bytes", { folder }) ?? Number.NaN
        const used = valueOf(families, "flow_disk_used_bytes", { folder }) ?? Number.NaN
        // Others write to the disk meanwhile.
        expect(Math.abs(free - bsize * bavail)).toBeLessThan(bsize * blocks * 0.1)
        expect(Math.abs(used - bsize * (blocks - bfree))).toBeLessThan(bsize * blocks * 0.1)
      }
    })
  )
})

it.effect("a measurement that fails or hangs is forgotten, and delays no other", () =>
  Effect.gen(function* () {
    const log: Array<string> = []
    const say = (word: string) => Effect.sync(() => void log.push(word))
    const fiber = yield* Effect.forkChild(
      takeMeasurements([
        { measure: Effect.fail("away"), forget: say("failed") },
        { measure: Effect.never, forget: say("hung") },
        { measure: say("measured"), forget: say("wrong") }
      ])
    )
    yield* Effect.yieldNow
    yield* TestClock.adjust("3 seconds")
    yield* Fiber.join(fiber)
    expect(log.toSorted()).toEqual(["failed", "hung", "measured"])
  })
)

const byName = (one: { readonly name: string | undefined }, other: { readonly name: string | undefined }) =>
  String(one.name) < String(other.name) ? -1 : 1

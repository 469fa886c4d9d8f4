import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { inject } from "vitest"
import { archiving, noise } from "../support/archiving.ts"
import { configuration } from "../support/conf.ts"
import { eventually } from "../support/process.ts"
import { commandOf, residentMib, runnersOf, site } from "../support/process-gateway.ts"
import { tenantOf } from "../support/runs.ts"
import { unzip } from "../support/zip.ts"
import { freshPlace, keysIn, uploadsIn } from "./bucket.ts"
import { accessKeyId, killed, secretAccessKey, startRadosgw } from "./ceph.ts"

/** A gateway with its blobs in a bucket, behind a radosgw for this test alone. */
const prepared = (mebibytes = 0) =>
  Effect.gen(function* () {
    const { root, folderOf } = yield* configuration
    writeFileSync(join(folderOf("mytenant"), "small.log"), "one\ntwo\n")
    if (mebibytes > 0) writeFileSync(join(folderOf("mytenant"), "large.log"), noise(mebibytes))
    const server = yield* Effect.acquireRelease(
      Effect.promise(() => startRadosgw(inject("ceph").folder)),
      ({ child }) => Effect.promise(() => killed(child))
    )
    const place = { ...(yield* freshPlace), endpoint: server.endpoint }
    const here = yield* site({
      variables: {
        FLOW_CONF: root,
        FLOW_BLOBS: `s3://${place.bucket}/${place.prefix}?endpoint=${server.endpoint}`,
        AWS_ACCESS_KEY_ID: accessKeyId,
        AWS_SECRET_ACCESS_KEY: secretAccessKey
      }
    })
    return { here, place, server }
  })

const timed = async (url: string, init?: RequestInit) => {
  const began = performance.now()
  const response = await fetch(url, init)
  const body = JSON.parse(await response.text())
  return { status: response.status, storage: body.storage, millis: performance.now() - began }
}

const isReady = (url: string) => fetch(`${url}/health/ready`).then(({ status }) => status === 200)

describe("a gateway with its blobs in S3", () => {
  it.live("archives what its runs make, and tells their processes nothing where others could read it", () =>
    Effect.gen(function* () {
      const { here, place } = yield* prepared(24)
      yield* Effect.promise(async () => {
        const gateway = await here.start()
        const tenant = tenantOf(gateway.url)
        const id = await tenant.run(archiving("large.log"))
        await eventually("the archive is on its way", async () => (await uploadsIn(place)).length === 1, 50_000)
        const runners = runnersOf(gateway.pid)
        expect(runners.length).toBeGreaterThan(0)
        for (const pid of runners) {
          const seen = commandOf(pid) + readFileSync(`/proc/${pid}/environ`, "utf8")
          expect(seen).not.toContain(secretAccessKey)
        }
        const done = await tenant.ended(id, 60_000)
        expect(done).toMatchObject({ state: "SUCCEEDED", archive: id })
        const [key, ...others] = await keysIn(place)
        expect([key, others]).toEqual([expect.stringMatching(/^mytenant\/blobs\/[0-9a-f]{64}$/), []])
        const download = await fetch(`${gateway.url}/v1/mytenant/archives/${id}`)
        expect(download.headers.get("etag")).toBe(`"${key!.slice(-64)}"`)
        const [entry] = unzip(Buffer.from(await download.arrayBuffer()))
        expect(entry?.name).toBe("copy.ndjson")
        const part = await fetch(`${gateway.url}/v1/mytenant/archives/${id}`, { headers: { range: "bytes=0-3" } })
        expect([part.status, Buffer.from(await part.arrayBuffer()).toString("latin1")]).toEqual([206, "PK\x03\x04"])
        expect(residentMib(gateway.pid)).toBeLessThan(600)
        expect(existsSync(join(here.data, "blobs", "mytenant", "blobs"))).toBe(false)
        expect(gateway.stdout() + gateway.stderr()).not.toContain(secretAccessKey)
        await gateway.kill("SIGTERM")
      })
    })
  )

  it.live("answers 504 while the server is frozen or gone, says so, and is well again by itself", () =>
    Effect.gen(function* () {
      const { here, server } = yield* prepared()
      yield* Effect.promise(async () => {
        const gateway = await here.start()
        const tenant = tenantOf(gateway.url)
        const first = await tenant.ended(await tenant.run(archiving("small.log")))
        const archive = `${gateway.url}/v1/mytenant/archives/${first.id}`
        const suffer = async () => {
          for (const init of [{}, { headers: { range: "bytes=0-3" } }]) {
            const answer = await timed(archive, init)
            expect(answer).toMatchObject({ status: 504, storage: "data" })
            expect(answer.millis).toBeLessThan(7000)
          }
          const ready = await fetch(`${gateway.url}/health/ready`)
          expect([ready.status, JSON.parse(await ready.text()).dependencies]).toEqual([
            503,
            { metadata: "up", data: "down", configuration: "up", connections: "up" }
          ])
          const failed = await tenant.ended(await tenant.run(archiving("small.log")), 40_000)
          expect(failed).toMatchObject({ state: "FAILED", archive: null })
          expect(failed.error).toContain("storage")
          expect((await fetch(`${gateway.url}/v1/mytenant/flowline`)).status).toBe(200)
        }
        const recover = async () => {
          await eventually("the gateway is ready again", () => isReady(gateway.url))
          expect((await fetch(archive)).status).toBe(200)
          const again = await tenant.ended(await tenant.run(archiving("small.log")))
          expect(again).toMatchObject({ state: "SUCCEEDED", archive: again.id })
        }
        server.child.kill("SIGSTOP")
        await suffer()
        server.child.kill("SIGCONT")
        await recover()
        await killed(server.child)
        await suffer()
        const next = await startRadosgw(inject("ceph").folder, server.port)
        await recover().finally(() => killed(next.child))
      })
    })
  )

  it.live("shows nothing of an archive under way when it is killed, and its successor sweeps the rest", () =>
    Effect.gen(function* () {
      const { here, place } = yield* prepared(48)
      yield* Effect.promise(async () => {
        const gateway = await here.start()
        const tenant = tenantOf(gateway.url)
        const id = await tenant.run(archiving("large.log"))
        await eventually("the archive is on its way", async () => (await uploadsIn(place)).length === 1, 50_000)
        const runners = runnersOf(gateway.pid)
        await gateway.kill("SIGKILL")
        await eventually("its runs are gone", () => runners.every((pid) => commandOf(pid) === ""))
        expect(await keysIn(place)).toEqual([])
        const next = await here.start()
        const again = tenantOf(next.url)
        // The execution is resumed; the data stored by the dead run is not used.
        const done = await again.ended(id, 60_000)
        expect(done).toMatchObject({ state: "SUCCEEDED", archive: id })
        await eventually("no upload is left", async () => (await uploadsIn(place)).length === 0)
        expect((await keysIn(place)).length).toBe(1)
        await next.kill("SIGTERM")
      })
    })
  )

  it.live("is told in one line what is wrong with its bucket", () =>
    Effect.gen(function* () {
      const { here, place } = yield* prepared()
      const address = (given: string) => `s3://${given}?endpoint=${place.endpoint}`
      yield* Effect.promise(async () => {
        const cases = [
          [{ FLOW_BLOBS: address(`${place.bucket}-other`) }, /FLOW_BLOBS: .*no such bucket/],
          [{ AWS_SECRET_ACCESS_KEY: "secret-word" }, /FLOW_BLOBS: .*secret key/],
          [{ FLOW_BLOBS: address(`nobody:secret-word@${place.bucket}`) }, /FLOW_BLOBS: .*does not know/]
        ] as const
        for (const [variables, reason] of cases) {
          const gateway = here.spawn(variables)
          expect(await gateway.exit).toEqual({ code: 1, signal: null })
          expect(gateway.stderr()).toMatch(reason)
          expect(gateway.stderr().trim().split("\n").length).toBe(1)
          expect(gateway.stderr()).not.toContain("secret-word")
        }
        const began = performance.now()
        const lonely = here.spawn({ FLOW_BLOBS: `s3://${place.bucket}?endpoint=http://127.0.0.1:9` })
        expect(await lonely.exit).toEqual({ code: 1, signal: null })
        expect(lonely.stderr()).toMatch(/FLOW_BLOBS: .*cannot be reached \(ECONNREFUSED\)/)
        expect(performance.now() - began).toBeGreaterThan(25_000)
      })
    })
  )
})

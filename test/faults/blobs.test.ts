import { spawnSync } from "node:child_process"
import { randomBytes } from "node:crypto"
import { mkdirSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { configuration } from "../support/conf.ts"
import { eventually } from "../support/process.ts"
import { site, temporary } from "../support/process-gateway.ts"
import { tenantOf } from "../support/runs.ts"
import { unzip } from "../support/zip.ts"

const archiving = (file: string) => `
runtime: stream
dag:
  - type: file_input
    settings: { path: ${file} }
    publish: [ { stream: lines } ]
  - type: archive_output
    settings: { entry: copy.ndjson }
    subscribe: [ { component: file_input, stream: lines } ]
`

/** Lines that no compression makes small. */
const noise = (mebibytes: number) =>
  Array.from({ length: mebibytes * 1024 }, () => randomBytes(768).toString("base64")).join("\n")

const prepared = Effect.gen(function* () {
  const { root, folderOf } = yield* configuration
  writeFileSync(join(folderOf("mytenant"), "small.log"), "one\ntwo\n")
  writeFileSync(join(folderOf("mytenant"), "large.log"), noise(8))
  const blobs = yield* temporary
  const here = yield* site({ variables: { FLOW_CONF: root, FLOW_BLOBS: blobs } })
  return { here, blobs }
})

const filesBelow = (folder: string): ReadonlyArray<string> =>
  readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((path) => statSync(join(folder, path)).isFile())

const isReady = (url: string) => fetch(`${url}/health/ready`).then(({ status }) => status === 200)

const timed = async (url: string, init?: RequestInit) => {
  const began = performance.now()
  const response = await fetch(url, init)
  const body = JSON.parse(await response.text())
  return { status: response.status, storage: body.storage, millis: performance.now() - began }
}

/** Mounts a small file system in memory; false where that is not allowed. */
const mounted = (folder: string, mebibytes: number) =>
  Effect.acquireRelease(
    Effect.sync(
      () => spawnSync("mount", ["-t", "tmpfs", "-o", `size=${mebibytes}m,mode=0755`, "tmpfs", folder]).status === 0
    ),
    (done) => Effect.sync(() => void (done && spawnSync("umount", ["-l", folder])))
  )

describe("the storage of bytes", () => {
  it.live("that is away: 504 for what needs it, a failed run, and all is well when it is back", () =>
    Effect.gen(function* () {
      const { here, blobs } = yield* prepared
      yield* Effect.promise(async () => {
        const gateway = await here.start()
        const tenant = tenantOf(gateway.url)
        const first = await tenant.ended(await tenant.run(archiving("small.log")))
        expect(first).toMatchObject({ state: "SUCCEEDED", archive: first.id })
        const archive = `${gateway.url}/v1/mytenant/archives/${first.id}`
        const aside = `${blobs}.aside`
        renameSync(blobs, aside)
        try {
          for (const init of [{}, { headers: { range: "bytes=0-3" } }]) {
            const answer = await timed(archive, init)
            expect(answer).toMatchObject({ status: 504, storage: "data" })
            expect(answer.millis).toBeLessThan(5600)
          }
          const ready = await fetch(`${gateway.url}/health/ready`)
          expect([ready.status, JSON.parse(await ready.text()).dependencies]).toEqual([
            503,
            { metadata: "up", data: "down", configuration: "up" }
          ])
          const failed = await tenant.ended(await tenant.run(archiving("small.log")))
          expect(failed).toMatchObject({ state: "FAILED", archive: null })
          expect(failed.error).not.toContain(blobs)
          expect((await fetch(`${gateway.url}/v1/mytenant/archives/${failed.id}`)).status).toBe(404)
          expect((await fetch(`${gateway.url}/v1/mytenant/flowline`)).status).toBe(200)
        } finally {
          rmSync(blobs, { recursive: true, force: true })
          renameSync(aside, blobs)
        }
        await eventually("the gateway is ready again", () => isReady(gateway.url))
        const download = await fetch(archive)
        expect(unzip(Buffer.from(await download.arrayBuffer())).map(({ name }) => name)).toEqual(["copy.ndjson"])
        const again = await tenant.ended(await tenant.run(archiving("small.log")))
        expect(again).toMatchObject({ state: "SUCCEEDED", archive: again.id })
      })
    })
  )

  it.live("that is full: the run fails with the reason, nothing is left of it, and the next one succeeds", () =>
    Effect.gen(function* () {
      const { here, blobs } = yield* prepared
      const isSmall = yield* mounted(blobs, 4)
      yield* Effect.promise(async () => {
        const gateway = await here.start()
        const tenant = tenantOf(gateway.url)
        const first = await tenant.ended(await tenant.run(archiving("small.log")))
        expect(first.archive).toBe(first.id)
        const before = filesBelow(blobs)
        // Without the right to mount, a folder in the place of the tenant's temporary files stops all writing there.
        const tmp = join(blobs, "mytenant", "tmp")
        if (!isSmall) {
          rmSync(tmp, { recursive: true })
          writeFileSync(tmp, "")
        }
        const failed = await tenant.ended(await tenant.run(archiving("large.log")))
        expect(failed).toMatchObject({ state: "FAILED", archive: null })
        expect(failed.error).toMatch(isSmall ? /full|space/i : /./)
        expect(failed.error).not.toContain(blobs)
        expect((await fetch(`${gateway.url}/v1/mytenant/archives/${failed.id}`)).status).toBe(404)
        expect((await tenant.get<ReadonlyArray<{ id: string }>>("archives")).map(({ id }) => id)).toEqual([first.id])
        if (!isSmall) {
          rmSync(tmp)
          mkdirSync(tmp)
        }
        await eventually("nothing is left of the failed archive", () => filesBelow(blobs).length === before.length)
        const next = await tenant.ended(await tenant.run(archiving("small.log")))
        expect(next.archive).toBe(next.id)
        expect(await isReady(gateway.url)).toBe(true)
      })
    })
  )
})

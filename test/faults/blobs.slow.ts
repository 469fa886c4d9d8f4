import { spawnSync } from "node:child_process"
import { mkdirSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { archiving, noise } from "../support/archiving.ts"
import { configuration } from "../support/conf.ts"
import { eventually } from "../support/process.ts"
import { type Running, site, temporary } from "../support/process-gateway.ts"
import { tenantOf } from "../support/runs.ts"
import { unzip } from "../support/zip.ts"

/** Mounts a small file system in memory; false where that is not allowed. */
const mounted = (folder: string, mebibytes: number) =>
  Effect.acquireRelease(
    Effect.sync(
      () => spawnSync("mount", ["-t", "tmpfs", "-o", `size=${mebibytes}m,mode=0755`, "tmpfs", folder]).status === 0
    ),
    (done) => Effect.sync(() => void (done && spawnSync("umount", ["-l", folder])))
  )

class Prepared extends Context.Service<
  Prepared,
  { readonly gateway: Running; readonly blobs: string; readonly isSmall: boolean }
>()("test/faults/Prepared") {
  static readonly layer = Layer.effect(
    Prepared,
    Effect.gen(function* () {
      const { root, folderOf } = yield* configuration
      writeFileSync(join(folderOf("mytenant"), "small.log"), "one\ntwo\n")
      writeFileSync(join(folderOf("mytenant"), "large.log"), noise(8))
      const place = yield* temporary
      const isSmall = yield* mounted(place, 4)
      const blobs = join(place, "blobs")
      const here = yield* site({ variables: { FLOW_CONF: root, FLOW_BLOBS: blobs } })
      return { gateway: yield* Effect.promise(() => here.start()), blobs, isSmall }
    })
  )
}

const filesBelow = (folder: string): ReadonlyArray<string> =>
  readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((path) => statSync(join(folder, path)).isFile())

const isReady = (url: string) => fetch(`${url}/health/ready`).then(({ status }) => status === 200)

/** A deadline of five seconds, with the delay of a busy machine, is over in thirty. */
const answered = async (url: string, init?: RequestInit) => {
  const response = await fetch(url, { ...init, signal: AbortSignal.timeout(30_000) })
  return { status: response.status, storage: JSON.parse(await response.text()).storage }
}

layer(Prepared.layer, { excludeTestServices: true })("the storage of bytes", (it) => {
  it.effect("that is away: 504 for what needs it, a failed run, and all is well when it is back", () =>
    Effect.gen(function* () {
      const { gateway, blobs } = yield* Prepared
      yield* Effect.promise(async () => {
        const tenant = tenantOf(gateway.url)
        const first = await tenant.ended(await tenant.run(archiving("small.log")))
        expect(first).toMatchObject({ state: "SUCCEEDED", archive: first.id })
        const archive = `${gateway.url}/v1/mytenant/archives/${first.id}`
        const aside = `${blobs}.aside`
        renameSync(blobs, aside)
        try {
          for (const init of [{}, { headers: { range: "bytes=0-3" } }]) {
            expect(await answered(archive, init)).toEqual({ status: 504, storage: "data" })
          }
          const ready = await fetch(`${gateway.url}/health/ready`)
          expect([ready.status, JSON.parse(await ready.text()).dependencies]).toEqual([
            503,
            { metadata: "up", data: "down", configuration: "up", connections: "up" }
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

  it.effect("that is full: the run fails with the reason, nothing is left of it, and the next one succeeds", () =>
    Effect.gen(function* () {
      const { gateway, blobs, isSmall } = yield* Prepared
      yield* Effect.promise(async () => {
        const tenant = tenantOf(gateway.url)
        const archives = async () => (await tenant.get<ReadonlyArray<{ id: string }>>("archives")).map(({ id }) => id)
        const [before, listed] = [filesBelow(blobs), await archives()]
        // Without the right to mount, a folder in place of the tenant's temporary files stops all writes there.
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
        expect(await archives()).toEqual(listed)
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

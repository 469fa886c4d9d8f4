import { execFileSync } from "node:child_process"
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { startEmbedded } from "../../src/layers/postgres/embedded/Embedded.ts"
import { putCluster, temporaryCluster, temporaryFolder } from "../support/postgresServer.ts"
import { eventually } from "../support/process.ts"
import { commandOf, pidsWhere, site } from "../support/process-gateway.ts"

const patience = 240_000

const refused = (folder: string) => Effect.map(Effect.flip(Effect.scoped(startEmbedded({ folder }))), (e) => e.message)

const mount = (folder: string, mebibytes: number) =>
  execFileSync("mount", ["-t", "tmpfs", "-o", `size=${mebibytes}m,mode=755`, "tmpfs", folder], { stdio: "ignore" })
const unmount = (folder: string) => execFileSync("umount", ["-l", folder], { stdio: "ignore" })

/** Whether this user may have a disk of a given size. */
const canMount = (() => {
  const folder = mkdtempSync(join(tmpdir(), "flow-mount-"))
  try {
    mount(folder, 1)
    unmount(folder)
    return true
  } catch {
    return false
  } finally {
    rmdirSync(folder)
  }
})()

/** A data folder whose `postgres` is a separate disk. */
const onDisk = (mebibytes: number) =>
  Effect.gen(function* () {
    const folder = yield* temporaryFolder
    const home = join(folder, "postgres")
    mkdirSync(home)
    mount(home, mebibytes)
    yield* Effect.addFinalizer(() => Effect.sync(() => unmount(home)))
    return { folder, home }
  })

/** Fills a disk to its last byte. */
const fill = (file: string) => {
  const bytes = Buffer.alloc(4096)
  try {
    for (;;) appendFileSync(file, bytes)
  } catch {}
}

describe("a start that is refused", () => {
  it.live.skipIf(!canMount)(
    "names a disk that is too small for a new database, leaves nothing of it, and passes once there is room",
    () =>
      Effect.gen(function* () {
        const disk = yield* onDisk(20)
        const message = yield* refused(disk.folder)
        expect(message).toMatch(/initdb ended with 1: could not (extend|write)/)
        expect(message).toContain(`Make room on the disk of ${disk.home}`)
        expect(readdirSync(disk.home).filter((name) => name.startsWith("making-"))).toEqual([])
        execFileSync("mount", ["-o", "remount,size=150m", disk.home])
        yield* Effect.scoped(startEmbedded({ folder: disk.folder }))
      }).pipe(Effect.scoped),
    patience
  )

  it.live.skipIf(!canMount)(
    "names the system's limit of shared memory",
    () =>
      Effect.gen(function* () {
        const limited = 'echo 0 > /proc/sys/kernel/shmmni && exec "$@"'
        const here = yield* site({ embedded: true, through: ["unshare", "--ipc", "sh", "-c", limited, "sh"] })
        const gateway = here.spawn()
        expect(yield* Effect.promise(() => gateway.exit)).toEqual({ code: 1, signal: null })
        expect(gateway.stderr()).toMatch(/cannot start: .*shared memory segment.*kernel\.shmmni/)
      }),
    patience
  )

  it.live.skipIf(!canMount)(
    "names a disk that has become full, wherever the last byte was",
    () =>
      Effect.gen(function* () {
        const disk = yield* onDisk(150)
        yield* Effect.scoped(startEmbedded({ folder: disk.folder }))
        const log = join(disk.home, "server.log")
        // On a file system with pages of 4 KiB: the log has room for no byte, for some, or for the whole message.
        for (const size of [4096, 4000, 1]) {
          writeFileSync(log, "x".repeat(size))
          fill(join(disk.home, "fill"))
          const message = yield* refused(disk.folder)
          expect([size, message]).toEqual([size, expect.stringContaining(`Make room on the disk of ${disk.home}`)])
          expect(message).toMatch(/^PostgreSQL did not start: .*No space left/)
          rmSync(join(disk.home, "fill"))
        }
        yield* Effect.scoped(startEmbedded({ folder: disk.folder }))
      }).pipe(Effect.scoped),
    patience
  )

  it.live(
    "names a password file and a folder that are damaged, and changes neither",
    () =>
      Effect.gen(function* () {
        const folder = yield* temporaryCluster
        const home = join(folder, "postgres")
        const password = readFileSync(join(home, "password"))
        for (const bytes of [Buffer.from([0xff, 0, 0x1b, 0x5b, 0x40]), Buffer.from("a@b/c"), Buffer.from("")]) {
          writeFileSync(join(home, "password"), bytes)
          expect(yield* refused(folder)).toBe(
            `The file ${home}/password holds no password of letters and digits. Put it back from a backup.`
          )
          expect(readFileSync(join(home, "password"))).toEqual(bytes)
        }
        writeFileSync(join(home, "password"), password)
        renameSync(join(home, "data", "PG_VERSION"), join(folder, "PG_VERSION"))
        const before = readdirSync(home)
        expect(yield* refused(folder)).toContain(`The folder ${home}/data has files, but its PG_VERSION is missing`)
        expect(readdirSync(home)).toEqual(before)
        renameSync(join(folder, "PG_VERSION"), join(home, "data", "PG_VERSION"))
        yield* Effect.scoped(startEmbedded({ folder }))
      }).pipe(Effect.scoped),
    patience
  )

  it.live(
    "is one line of printable text, whatever is wrong in the data folder",
    () =>
      Effect.gen(function* () {
        const here = yield* site({ embedded: true })
        yield* putCluster(here.data)
        const reason = async () => {
          const gateway = here.spawn()
          const { code } = await gateway.exit
          const lines = gateway
            .stderr()
            .split("\n")
            .filter((line) => line !== "" && !line.startsWith("{"))
          expect([code, lines.length, lines[0]]).toEqual([1, 1, expect.stringMatching(/^flow-gateway cannot start: /)])
          expect(gateway.stderr()).not.toMatch(/(?!\n)\p{Cc}/u)
          return lines[0]
        }
        yield* Effect.promise(async () => {
          const tmp = join(here.data, "tmp")
          writeFileSync(tmp, "")
          expect(await reason()).toContain(`'${tmp}'`)
          rmSync(tmp)
          const first = await here.start()
          await first.kill("SIGTERM")
          writeFileSync(join(here.data, "blobs", ".installation"), Buffer.from("a\x1b[31mb\x07\xff", "latin1"))
          expect(await reason()).toContain("FLOW_BLOBS: the storage's `.installation` holds no id of an installation")
          rmSync(join(here.data, "blobs", ".installation"))
          const again = await here.start()
          await again.kill("SIGTERM")
        })
      }).pipe(Effect.scoped),
    patience
  )
})

it.live(
  "a first start that is stopped ends with all processes of initdb, and leaves nothing of a half database",
  () =>
    Effect.gen(function* () {
      const here = yield* site({ embedded: true })
      const home = join(here.data, "postgres")
      const making = () => (existsSync(home) ? readdirSync(home).filter((name) => name.startsWith("making-")) : [])
      yield* Effect.promise(async () => {
        const gateway = here.spawn()
        await eventually("initdb writes", () => making().some((name) => existsSync(join(home, name, "PG_VERSION"))))
        gateway.process.kill("SIGTERM")
        expect(await gateway.exit).toEqual({ code: 0, signal: null })
        expect(pidsWhere((pid) => commandOf(pid).includes(here.data))).toEqual([])
        expect(making()).toEqual([])
        await here.start()
      })
    }).pipe(Effect.scoped),
  patience
)

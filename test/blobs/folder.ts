import { execFileSync } from "node:child_process"
import { existsSync, mkdtempSync, readdirSync, readlinkSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Context, type Duration, Effect, Layer, type Scope } from "effect"
import { Blobs } from "../../src/drivers/blobs/Blobs.ts"
import * as Disk from "../../src/drivers/blobs/disk/DiskBlobs.ts"

/** A folder for one test, removed with everything in it. */
export const scratch: Effect.Effect<string, never, Scope.Scope> = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "flow-blobs-"))),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
)

/** The files below a folder, relative to it, without checksum files. */
export const filesBelow = (folder: string): ReadonlyArray<string> =>
  existsSync(folder)
    ? readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((entry) => !entry.isDirectory())
        .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
        .filter((path) => !path.includes("/sums/"))
        .sort()
    : []

/** Files of this process that are open below a folder. */
export const openBelow = (folder: string): ReadonlyArray<string> =>
  readdirSync("/proc/self/fd").flatMap((fd) => {
    try {
      const path = readlinkSync(`/proc/self/fd/${fd}`)
      return path.startsWith(folder) ? [path] : []
    } catch {
      return []
    }
  })

/** An in-memory file system of so many KiB; undefined if this user may not mount one. */
export const tmpfs = (kibibytes: number): Effect.Effect<string | undefined, never, Scope.Scope> =>
  Effect.flatMap(scratch, (folder) =>
    Effect.acquireRelease(
      Effect.sync(() => {
        try {
          execFileSync("mount", ["-t", "tmpfs", "-o", `size=${kibibytes}k`, "tmpfs", folder], { stdio: "ignore" })
          return folder
        } catch {
          return undefined
        }
      }),
      (mounted) =>
        Effect.sync(() => {
          if (mounted !== undefined) execFileSync("umount", ["-l", mounted], { stdio: "ignore" })
        })
    )
  )

/** The blobs of a folder, as long as the scope is open. */
export const diskAt = (root: string, deadline?: Duration.Input) =>
  Effect.map(
    Layer.build(Layer.fresh(Disk.layer).pipe(Layer.provide(Disk.DiskConfig.layer(root, deadline)))),
    (context) => Context.get(context, Blobs)
  )

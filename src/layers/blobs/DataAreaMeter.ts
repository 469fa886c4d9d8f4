import { opendir, stat } from "node:fs/promises"
import { join, resolve } from "node:path"
import { Effect, Layer } from "effect"
import { codeOf } from "../../drivers/Failure.ts"
import { StorageUnreachable } from "../../errors/StorageUnreachable.ts"
import { FileMeter, type FileUsage } from "../../services/limits/UsageStore.ts"
import { dataRoot, Settings } from "../../services/shared/settings/Settings.ts"
import type { TenantId } from "../../services/shared/Tenant.ts"

/** A result is used for this many times the duration of its walk, so that walks take at most a tenth of the time. */
const idle = 10

/** Number of files whose sizes are read at once. */
const atOnce = 64

/** Sums up the files below a folder. Files that vanish meanwhile do not count; links are not followed. */
const walk = async (folder: string, signal: AbortSignal): Promise<FileUsage> => {
  let dataFiles = 0
  let dataBytes = 0
  const open = [folder]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    let files: Array<string> = []
    const count = async () => {
      const sizes = await Promise.all(files.map((file) => stat(file).catch(() => undefined)))
      for (const found of sizes) {
        if (found === undefined) continue
        dataFiles++
        dataBytes += found.size
      }
      files = []
    }
    const below = await opendir(next).catch((error) => {
      if (codeOf(error) === "ENOENT") return []
      throw error
    })
    for await (const entry of below) {
      signal.throwIfAborted()
      if (entry.isDirectory()) open.push(join(next, entry.name))
      if (entry.isFile()) files.push(join(next, entry.name))
      if (files.length >= atOnce) await count()
    }
    await count()
  }
  return { dataFiles, dataBytes }
}

interface Measured {
  readonly usage: FileUsage
  /** Time until which the usage is used, in milliseconds of the process. */
  readonly until: number
}

/** Measures the data areas on this machine's disk. Concurrent requests share one walk. */
export const layer = Layer.effect(
  FileMeter,
  Effect.gen(function* () {
    const settings = yield* Settings
    const root = resolve(dataRoot(settings))
    const known = new Map<TenantId, Measured>()
    const walking = new Map<TenantId, Promise<FileUsage>>()
    const stop = new AbortController()
    yield* Effect.addFinalizer(() => Effect.sync(() => stop.abort()))
    const measure = async (tenant: TenantId): Promise<FileUsage> => {
      const began = performance.now()
      const usage = await walk(join(root, tenant, "data"), stop.signal)
      const ended = performance.now()
      known.set(tenant, { usage, until: ended + idle * (ended - began) })
      return usage
    }
    const current = (tenant: TenantId): Promise<FileUsage> => {
      const measured = known.get(tenant)
      if (measured !== undefined && performance.now() < measured.until) return Promise.resolve(measured.usage)
      const under = walking.get(tenant) ?? measure(tenant).finally(() => walking.delete(tenant))
      walking.set(tenant, under)
      return under
    }
    return FileMeter.of({
      of: (tenant) =>
        Effect.tryPromise({ try: () => current(tenant), catch: () => new StorageUnreachable({ storage: "data" }) })
    })
  })
)

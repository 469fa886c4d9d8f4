import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs"
import promises from "node:fs/promises"
import { syncBuiltinESMExports } from "node:module"
import { join } from "node:path"
import { expect, it } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import * as ChannelFilesOnDisk from "../../src/layers/conf/ChannelFilesOnDisk.ts"
import * as ConfFolders from "../../src/layers/conf/ConfFolders.ts"
import { ChannelFiles, type ChannelTexts } from "../../src/services/channels/ChannelFiles.ts"
import { ChannelFolders } from "../../src/services/channels/ChannelFolders.ts"
import { ChannelName } from "../../src/services/channels/Job.ts"
import { Conf } from "../../src/services/conf/Conf.ts"
import { Flowlines } from "../../src/services/flowlines/Flowlines.ts"
import { TenantId } from "../../src/services/shared/Tenant.ts"
import { configuration } from "../support/conf.ts"
import { testSettings } from "../support/gateway.ts"
import { until } from "../support/process.ts"

const tenant = TenantId("mytenant")
const channel = ChannelName("c")
const texts = (name: string): ChannelTexts => ({
  "channel_structure.yaml": `jobs: [{ name: ${name}, runtime: stream }]`,
  [`${name}.yaml`]: name,
  "sub/table.csv": name
})
const [former, next] = [texts("former"), texts("next")]

/** A gateway's view of the channels. Each has a separate data folder, so no lock is shared. */
const gateway = (conf: string, data: string) => {
  const settings = { conf, data: join(conf, data), storageDeadline: 600_000 }
  const folders = ChannelFolders.layer.pipe(
    Layer.provideMerge(Layer.provide(ConfFolders.layer, testSettings(settings))),
    Layer.provide(Layer.mock(Flowlines)({}))
  )
  return Layer.fresh(Layer.merge(ChannelFilesOnDisk.layerAt(settings), folders))
}

type Change = (store: ChannelFiles["Service"]) => Effect.Effect<void, unknown>
const replace =
  (files: ChannelTexts | undefined): Change =>
  (store) =>
    store.replace(tenant, channel, files, () => Effect.void)

const operations = ["mkdir", "open", "rename", "rm", "readdir", "stat"] as const

/** The actions of a gateway on a separate configuration. */
const inFolder = <A, E>(
  data: string,
  work: (conf: Effect.Success<typeof configuration>) => Effect.gen.Return<A, E, ChannelFiles | ChannelFolders | Conf>
) =>
  Effect.flatMap(configuration, (conf) =>
    Effect.provide(
      Effect.gen(() => work(conf)),
      gateway(conf.root, data)
    )
  ).pipe(Effect.scoped)

/**
 * While an effect runs, file system operations below the tenants are replaced where `instead` returns a replacement.
 */
const intercepted = <A, E, R>(
  conf: string,
  instead: (count: number) => Promise<unknown> | undefined,
  effect: Effect.Effect<A, E, R>
) => {
  let count = 0
  const originals = operations.map((name) => [name, promises[name]] as const)
  const put = (changed: ReadonlyArray<readonly [string, unknown]>) => {
    Object.assign(promises, Object.fromEntries(changed))
    syncBuiltinESMExports()
  }
  const intercepting = originals.map(([name, original]) => {
    const call = (...given: ReadonlyArray<unknown>) => {
      const isBelow = String(given[0]).startsWith(join(conf, "tenants"))
      return (isBelow ? instead(++count) : undefined) ?? Reflect.apply(original, promises, given)
    }
    return [name, call] as const
  })
  return Effect.acquireUseRelease(
    Effect.sync(() => put(intercepting)),
    () => effect,
    () => Effect.sync(() => put(originals))
  )
}

/**
 * Makes a change that stops forever before its n-th operation, as if the gateway were killed there. Returns whether it
 * was stopped.
 */
const killedAt = (conf: string, change: Change, at: number) =>
  Effect.gen(function* () {
    const store = yield* ChannelFiles
    let stop = () => {}
    const stopped = new Promise<boolean>((done) => {
      stop = () => done(true)
    })
    const dead = (count: number) => {
      if (count < at) return undefined
      stop()
      return new Promise(() => {})
    }
    const changing = Effect.flatMap(Effect.forkDetach(change(store)), (fiber) => Effect.as(Fiber.join(fiber), false))
    return yield* intercepted(
      conf,
      dead,
      Effect.raceFirst(
        Effect.promise(() => stopped),
        changing
      )
    )
  }).pipe(Effect.provide(gateway(conf, "killed")), Effect.scoped)

/** What readers find: the files as a whole, and the jobs and the listing that are derived from them. */
const seen = Effect.gen(function* () {
  const folders = yield* ChannelFolders
  const stored = yield* (yield* ChannelFiles).read(tenant, channel)
  const { jobs } = yield* folders.structure(tenant, channel)
  const names = yield* folders.names(tenant)
  const { channels } = yield* (yield* Conf).tree(tenant)
  return {
    files: stored?.files,
    jobs: jobs.map(({ name }) => name),
    names,
    tree: Object.keys(channels?.children ?? {})
  }
})
const nothing = { files: undefined, jobs: [], names: [], tree: [] }
const as = (files: ChannelTexts, job: string) => ({ files, jobs: [job], names: ["c"], tree: ["c"] })

const changes: ReadonlyArray<
  readonly [what: string, before: ChannelTexts | undefined, after: ChannelTexts | undefined]
> = [
  ["replaced", former, next],
  ["made", undefined, next],
  ["removed", former, undefined]
]
const states = new Map([
  [former, as(former, "former")],
  [next, as(next, "next")]
])
const stateOf = (files: ChannelTexts | undefined) => (files === undefined ? nothing : states.get(files)!)

for (const [what, before, after] of changes) {
  it.effect(
    `a channel that is ${what} is whole, stays away when it is removed by hand, and leaves nothing, wherever the gateway is killed`,
    () =>
      Effect.gen(function* () {
        for (let at = 1; ; at++) {
          const wasStopped = yield* Effect.gen(function* () {
            const { root, folderOf } = yield* configuration
            const channels = join(folderOf(tenant), "channels")
            mkdirSync(channels)
            if (before !== undefined)
              yield* Effect.provide(Effect.flatMap(ChannelFiles, replace(before)), gateway(root, "a"))
            const wasStopped = yield* killedAt(root, replace(after), at)
            yield* Effect.gen(function* () {
              const found = yield* seen
              const whole = [stateOf(before), stateOf(after)].map((state) => ({ ...state, tree: found.tree }))
              expect(whole, `killed at ${at}`).toContainEqual(found)
              const isOwn = existsSync(join(channels, channel))
              // What no change has made, and no other gateway's change that is under way, is removed.
              yield* until(
                Effect.map(TestClock.adjust("1 minute"), () => readdirSync(channels)),
                (names) => names.every((name) => !name.startsWith("."))
              )
              expect(yield* seen, `killed at ${at}`).toEqual(
                stateOf(found.files === undefined ? undefined : found.jobs[0] === "next" ? next : former)
              )
              return isOwn
            }).pipe(Effect.provide(gateway(root, "b")))
            return wasStopped
          }).pipe(Effect.scoped)
          if (!wasStopped) {
            expect(at).toBeGreaterThan(5)
            return
          }
          // The same again, and a person removes the channel's folder before anything is swept.
          yield* Effect.gen(function* () {
            const { root, folderOf } = yield* configuration
            const folder = join(folderOf(tenant), "channels", channel)
            mkdirSync(join(folder, ".."))
            if (before !== undefined)
              yield* Effect.provide(Effect.flatMap(ChannelFiles, replace(before)), gateway(root, "a"))
            yield* killedAt(root, replace(after), at)
            if (!existsSync(folder)) return
            rmSync(folder, { recursive: true })
            yield* Effect.gen(function* () {
              expect(yield* seen, `removed after a kill at ${at}`).toEqual(nothing)
              yield* replace(next)(yield* ChannelFiles)
              rmSync(folder, { recursive: true })
              expect(yield* seen, `made and removed after a kill at ${at}`).toEqual(nothing)
            }).pipe(Effect.provide(gateway(root, "b")))
          }).pipe(Effect.scoped)
        }
      })
  )
}

it.effect("a change that the disk does not take leaves the channel as it was, and nothing else", () =>
  Effect.gen(function* () {
    const full = Object.assign(new Error("ENOSPC: no space left on device"), { code: "ENOSPC" })
    let failures = 0
    for (let at = 1; ; at++) {
      const isReached = yield* inFolder("a", function* ({ root, folderOf }) {
        mkdirSync(join(folderOf(tenant), "channels"))
        const store = yield* ChannelFiles
        yield* replace(former)(store)
        let isReached = false
        const fail = (count: number) => {
          if (count !== at) return undefined
          isReached = true
          return Promise.reject(full)
        }
        const result = yield* Effect.result(intercepted(root, fail, replace(next)(store)))
        const { files } = yield* seen
        if (result._tag === "Failure") {
          failures++
          expect(result.failure).toMatchObject({ _tag: "StorageUnreachable", storage: "data" })
          expect([former, next], `failed at ${at}`).toContainEqual(files)
          expect(readdirSync(join(folderOf(tenant), "channels")), `failed at ${at}`).toEqual(["c"])
        } else expect(files).toEqual(next)
        return isReached
      })
      if (!isReached) break
    }
    expect(failures).toBeGreaterThan(5)
  })
)

it.effect("a change of another gateway that is under way is not swept", () =>
  Effect.gen(function* () {
    const { root, folderOf } = yield* configuration
    const being = join(folderOf(tenant), "channels", ".c.0123456789ab.next")
    mkdirSync(being, { recursive: true })
    yield* Effect.gen(function* () {
      yield* seen
      for (let file = 0; file < 5; file++) {
        const before = statSync(being).ctimeMs
        // Another gateway writes for minutes; times of a file system may be coarse.
        while (statSync(being).ctimeMs === before) writeFileSync(join(being, `${file}-${performance.now()}`), "text")
        yield* TestClock.adjust("30 seconds")
        expect(existsSync(being)).toBe(true)
      }
    }).pipe(Effect.provide(gateway(root, "b")))
  }).pipe(Effect.scoped)
)

it.effect("a folder that the gateway may not write to stays as a killed gateway has left it", () =>
  Effect.gen(function* () {
    const { root, folderOf } = yield* configuration
    const channels = join(folderOf(tenant), "channels")
    mkdirSync(join(channels, ".c.0123456789ab.former"), { recursive: true })
    const structure = "channel_structure.yaml"
    writeFileSync(join(channels, ".c.0123456789ab.former", structure), former[structure] ?? "")
    mkdirSync(join(channels, ".c.0123456789ab.next"))
    // Also root does not write to a checkout of git.
    mkdirSync(join(root, ".git"))
    chmodSync(channels, 0o555)
    const left = readdirSync(channels)
    yield* Effect.gen(function* () {
      expect((yield* seen).names).toEqual(["c"])
      for (let minute = 0; minute < 3; minute++) {
        yield* TestClock.adjust("1 minute")
        expect(yield* seen).toMatchObject({ jobs: ["former"], names: ["c"], tree: [] })
      }
      expect(readdirSync(channels)).toEqual(left)
    }).pipe(Effect.provide(gateway(root, "b")))
    chmodSync(channels, 0o755)
  }).pipe(Effect.scoped)
)

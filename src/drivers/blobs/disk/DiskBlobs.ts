import * as fs from "node:fs"
import { dirname, join } from "node:path"
import { pathToFileURL } from "node:url"
import { Context, Duration, Effect, Layer, Stream } from "effect"
import { StorageUnreachable } from "../../../errors/StorageUnreachable.ts"
import { codeOf } from "../../Failure.ts"
import { within } from "../../files/Deadline.ts"
import { type Blob, Blobs } from "../Blobs.ts"
import { Suspects } from "../Check.ts"
import { writing } from "../Transfer.ts"
import { copyInto } from "./CopyInto.ts"
import { probe } from "./DiskHealth.ts"
import { isEmpty, listBlobs } from "./DiskList.ts"
import { readOwner, writeOwner } from "./DiskOwner.ts"
import { type BlobPath, diskPaths } from "./DiskPaths.ts"
import { checkBlob, readBlob } from "./DiskRead.ts"
import { removeIf } from "./DiskRemove.ts"
import { writeSums } from "./DiskSums.ts"
import { type Calls, Overdue, processCalls, tracked, unit } from "./FileCalls.ts"
import { FileWriter } from "./FileWriter.ts"
import { closeQuietly, Root, syncFolder } from "./Folder.ts"
import { SyncRate } from "./SyncRate.ts"
import { sweepTemporary, temporaryName } from "./Temporary.ts"

/** Repeats an action after creating the folder that was missing. */
const making = async <A>(make: () => Promise<void>, action: () => Promise<A>): Promise<A> => {
  try {
    return await action()
  } catch (error) {
    if (codeOf(error) !== "ENOENT") throw error
  }
  await make()
  return action()
}

const withoutLinks = new Set(["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK"])

/**
 * Gives a finished file its final name. It replaces an existing blob of that name, which may be damaged: the new file
 * was written just now, and its time keeps the blob from being swept. Returns whether the name is new.
 */
const publish = async (call: Calls, root: Root, temporary: string, blob: BlobPath): Promise<boolean> => {
  const attempt = async (): Promise<boolean> => {
    try {
      await call(unit((done) => fs.link(temporary, blob.path, done)))
    } catch (error) {
      const code = codeOf(error) ?? ""
      if (code !== "EEXIST" && !withoutLinks.has(code)) throw error
      await call(unit((done) => fs.rename(temporary, blob.path, done)))
      return false
    }
    await call(unit((done) => fs.unlink(temporary, done)))
    return true
  }
  const isNew = await making(() => root.make(blob.tenant, "blobs", blob.fan), attempt)
  await syncFolder(call, dirname(blob.path))
  return isNew
}

/** Stores the source's bytes under their hash. The temporary file is removed in any case. */
export const writeBlob = async (
  call: Calls,
  pace: SyncRate,
  root: Root,
  tenant: string,
  source: AsyncIterable<Uint8Array>,
  signal: AbortSignal
): Promise<Blob> => {
  const paths = diskPaths(root.path)
  const path = join(paths.temporary(tenant), temporaryName())
  const file = tracked(call)
  let fd = -1
  const open = (synced: boolean) => {
    const { O_CREAT, O_DSYNC, O_EXCL, O_WRONLY } = fs.constants
    const flags = O_CREAT | O_EXCL | O_WRONLY | (synced ? O_DSYNC : 0)
    return making(
      () => root.make(tenant, "tmp"),
      () =>
        file.call<number>((done) =>
          fs.open(path, flags, 0o600, (error, opened) => {
            // Known before the call counts as ended, also when nobody waits for it any more.
            if (error === null) fd = opened
            done(error, opened)
          })
        )
    )
  }
  const output = new FileWriter(file.call, pace, open)
  const unlink = () => (fd < 0 ? undefined : call(unit((done) => fs.unlink(path, done))).catch(() => {}))
  // Settles when no call uses the file any more; no new call is started.
  const retire = () => {
    output.close()
    return file.retire()
  }
  try {
    await copyInto(source, output, signal)
    const written = await output.finish()
    signal.throwIfAborted()
    const blob = paths.blob(tenant, written.sha256)
    const isNew = await publish(call, root, path, blob)
    await writeSums(call, root, blob, written.sums)
    if (signal.aborted && isNew) {
      const { mtimeMs } = await file.call<fs.Stats>((done) => fs.fstat(fd, done))
      await removeIf(call, root, blob, (modified) => modified === mtimeMs)
    }
    return { sha256: written.sha256, size: written.size }
  } catch (error) {
    const cleaned = retire().then(unlink)
    // A hanging folder would block the cleanup too; then it happens when the folder responds again.
    if (!(error instanceof Overdue)) await within(call.deadline, cleaned).catch(() => {})
    throw error
  } finally {
    void retire().then(() => fd < 0 || closeQuietly(fd))
  }
}

/**
 * The folder of the blobs. `deadline` limits every step of a call: a slower file operation means a dead disk. With
 * `isMade` the folder was created by another process; if it is missing, the disk is unreachable.
 */
export class DiskConfig extends Context.Service<
  DiskConfig,
  { readonly root: string; readonly deadline: Duration.Duration; readonly isMade: boolean }
>()("flow/layers/blobs/DiskConfig") {
  static readonly layer = (root: string, deadline: Duration.Input = "5 seconds", isMade = false) =>
    Layer.succeed(DiskConfig, { root, deadline: Duration.fromInputUnsafe(deadline), isMade })
}

const unreachable = () => new StorageUnreachable({ storage: "data" })

const sweepAll = async (call: Calls, root: Root): Promise<number> => {
  const paths = diskPaths(root.path)
  const tenants = await call<Array<string>>((done) => fs.readdir(root.path, done))
  let swept = 0
  for (const tenant of tenants) {
    const restore = async (path: string, sha256: string) => {
      await root.make(tenant, "blobs", sha256.slice(0, 2))
      await call(unit((done) => fs.rename(path, paths.blob(tenant, sha256).path, done)))
    }
    // Other entries of the root, such as the `lost+found` of a mounted disk, are skipped.
    swept += await sweepTemporary(call, join(root.path, tenant, "tmp"), restore).catch(() => 0)
  }
  return swept
}

/**
 * Blobs in a folder: `<root>/<tenant>/blobs/ab/abcdef…`, first written under a temporary name in `<root>/<tenant>/tmp`.
 * Temporary files of dead processes are removed in the background when the layer is built. An unreachable disk does not
 * stop the gateway from starting: calls fail until it is back.
 */
export const layer: Layer.Layer<Blobs, never, DiskConfig> = Layer.effect(
  Blobs,
  Effect.gen(function* () {
    const config = yield* DiskConfig
    const call = processCalls(Duration.toMillis(config.deadline))
    const pace = new SyncRate(call.deadline)
    const root = new Root(config.root, call, config.isMade)
    const paths = diskPaths(config.root)
    const suspects = new Suspects()
    const attempt = <A>(run: (signal: AbortSignal) => Promise<A>) => Effect.tryPromise({ try: run, catch: unreachable })

    yield* attempt(() => root.prepare()).pipe(
      Effect.catch(() => Effect.logWarning("The folder of the blobs cannot be reached"))
    )
    yield* attempt(() => sweepAll(call, root)).pipe(
      Effect.flatMap((swept) => (swept > 0 ? Effect.logInfo(`Unfinished blobs removed: ${swept}`) : Effect.void)),
      Effect.ignore,
      Effect.forkScoped
    )

    const write = Effect.fn("Blobs.write")(
      <E = never>(tenant: string, source: AsyncIterable<Uint8Array>, onSourceError?: (cause: unknown) => E) =>
        writing(
          (signal) => writeBlob(call, pace, root, tenant, source, signal),
          () => Effect.fail(unreachable()),
          onSourceError
        )
    )

    return Blobs.of({
      backend: "disk",
      url: (tenant, sha256) => pathToFileURL(paths.blob(tenant, sha256).path).href,
      write,
      size: Effect.fn("Blobs.size")((tenant, sha256) =>
        attempt(async () => {
          try {
            const { size } = await call<fs.Stats>((done) => fs.stat(paths.blob(tenant, sha256).path, done))
            return size
          } catch (error) {
            if (codeOf(error) !== "ENOENT") throw error
          }
          await root.present()
          return undefined
        })
      ),
      read: Effect.fn("Blobs.read")((tenant, sha256, span) =>
        attempt((signal) =>
          readBlob(call, paths.blob(tenant, sha256), span, signal, () => suspects.add(tenant, sha256))
        )
      ),
      remove: Effect.fn("Blobs.remove")((tenant, sha256, writtenBefore) =>
        attempt(() => removeIf(call, root, paths.blob(tenant, sha256), (modified) => modified < writtenBefore))
      ),
      list: (tenant) => Stream.fromAsyncIterable(listBlobs(call, root, tenant), unreachable),
      check: Effect.fn("Blobs.check")((tenant, sha256, bytesPerSecond) =>
        attempt((signal) => checkBlob(call, root, paths.blob(tenant, sha256), bytesPerSecond, signal))
      ),
      suspects: Effect.sync(() => suspects.take()),
      isEmpty: attempt(() => isEmpty(call, root)),
      owner: attempt(() => readOwner(call, root)),
      own: Effect.fn("Blobs.own")((installation) => attempt(() => writeOwner(call, root, installation))),
      health: attempt(() => probe(call, root))
    })
  })
)

import { createHash } from "node:crypto"
import { Effect, type Scope, Stream } from "effect"
import { within } from "../../drivers/files/Deadline.ts"
import { type OpenedFile, type OpenFailure, openInside } from "../../drivers/files/OpenInside.ts"
import { StorageUnreachable } from "../../errors/StorageUnreachable.ts"
import { BoundedMap } from "../../languages/BoundedMap.ts"
import type { ConfFile } from "../../services/conf/Conf.ts"
import { chunkSize, chunksOf } from "./Chunks.ts"

const remembered = 10_000

/**
 * The SHA-256 of open files in hex. Results are cached by inode, size and times, so that an unchanged file is read
 * once. Fails when a read takes longer than `deadline` milliseconds.
 */
const fileHashes = (deadline: number) => {
  const known = new BoundedMap<string, string>(remembered)
  return async ({ handle, version, size }: OpenedFile): Promise<string> => {
    const found = known.get(version)
    if (found !== undefined) return found
    const hash = createHash("sha256")
    const buffer = Buffer.allocUnsafe(Math.min(chunkSize, Math.max(1, size)))
    // Reads only up to the known size: bytes that are appended meanwhile belong to the next version.
    for (let position = 0; position < size; ) {
      const length = Math.min(buffer.length, size - position)
      const { bytesRead } = await within(deadline, handle.read(buffer, 0, length, position))
      if (bytesRead === 0) break
      hash.update(buffer.subarray(0, bytesRead))
      position += bytesRead
    }
    const digest = hash.digest("hex")
    known.set(version, digest)
    return digest
  }
}

const close = async (opened: OpenedFile | OpenFailure) => {
  if (typeof opened !== "string") await opened.handle.close()
}

const unreachable = () => new StorageUnreachable({ storage: "data" })

/** Opens a file below a folder until a scope closes, with a function that reads a part of it. */
export const openInScope = Effect.fnUntraced(function* (
  deadline: number,
  folder: () => string | Promise<string>,
  path: string
) {
  const opened = yield* Effect.acquireRelease(
    Effect.tryPromise({
      try: async () => within(deadline, openInside(await folder(), path), close),
      catch: unreachable
    }),
    (opened) => Effect.promise(() => close(opened))
  )
  if (typeof opened === "string") return opened
  const read = (span: { readonly start: number; readonly end: number }) =>
    Stream.mapError(chunksOf(opened.handle, span, deadline), unreachable)
  return { ...opened, read }
})

/** Opens files below a folder until a scope closes. Each step has `deadline` milliseconds. */
export const fileOpener = (deadline: number) => {
  const hashOf = fileHashes(deadline)
  return Effect.fnUntraced(function* (
    root: string,
    path: string
  ): Effect.fn.Return<ConfFile | OpenFailure, StorageUnreachable, Scope.Scope> {
    const opened = yield* openInScope(deadline, () => root, path)
    if (typeof opened === "string") return opened
    return {
      size: opened.size,
      lastModified: opened.modifiedAt,
      sha256: yield* Effect.tryPromise({ try: () => hashOf(opened), catch: unreachable }),
      read: (span = { start: 0, end: opened.size }) => opened.read(span)
    }
  })
}

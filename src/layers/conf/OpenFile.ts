import { Effect, type Scope, Stream } from "effect"
import { within } from "../../drivers/files/Deadline.ts"
import { type OpenedFile, type OpenFailure, openInside } from "../../drivers/files/OpenInside.ts"
import { StorageUnreachable } from "../../errors/StorageUnreachable.ts"
import type { ConfFile } from "../../services/conf/Conf.ts"
import { chunksOf } from "./Chunks.ts"
import { fileHashes } from "./Hashes.ts"

const close = async (opened: OpenedFile | OpenFailure) => {
  if (typeof opened !== "string") await opened.handle.close()
}

const unreachable = () => new StorageUnreachable({ storage: "data" })

/** Opens files below a folder until a scope closes. Each step has `deadline` milliseconds. */
export const fileOpener = (deadline: number) => {
  const hashOf = fileHashes(deadline)
  return Effect.fnUntraced(function* (
    root: string,
    path: string
  ): Effect.fn.Return<ConfFile | OpenFailure, StorageUnreachable, Scope.Scope> {
    const opened = yield* Effect.acquireRelease(
      Effect.tryPromise({ try: () => within(deadline, openInside(root, path), close), catch: unreachable }),
      (opened) => Effect.promise(() => close(opened))
    )
    if (typeof opened === "string") return opened
    return {
      size: opened.size,
      lastModified: opened.modifiedAt,
      sha256: yield* Effect.tryPromise({ try: () => hashOf(opened), catch: unreachable }),
      read: (span = { start: 0, end: opened.size }) =>
        Stream.mapError(chunksOf(opened.handle, span, deadline), unreachable)
    }
  })
}

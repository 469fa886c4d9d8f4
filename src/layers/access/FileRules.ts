import { Effect, Layer, SubscriptionRef } from "effect"
import { within } from "../../drivers/files/Deadline.ts"
import type { AccessFile } from "../../services/access/AccessFile.ts"
import { AccessRules } from "../../services/access/AccessRules.ts"
import { inBackground } from "../../services/shared/process/Background.ts"
import type { OwnPlace } from "../../services/shared/settings/RootRules.ts"
import { type AccessFileVersion, accessFileSignature, FaultyAccessFile, loadAccessFile } from "./AccessFileOnDisk.ts"

/** A change counts once two successive checks find the same file, so that a half-written file is not used. */
const lookEvery = "500 millis"

const attempt = <A>(
  path: string,
  deadline: number,
  call: (path: string) => Promise<A>
): Effect.Effect<A, FaultyAccessFile> =>
  Effect.tryPromise({
    try: () => within(deadline, call(path)),
    catch: (error) =>
      error instanceof FaultyAccessFile ? error : new FaultyAccessFile(`${path}: the disk does not answer`, false)
  })

const warnIfOpen = (path: string, { openToAll }: AccessFileVersion) =>
  openToAll ? Effect.logWarning(`Every user of this machine may write the access file: chmod o-w ${path}`) : Effect.void

/**
 * The rules of an access file. A faulty first version fails the start. Later, a faulty version or a missing file keeps
 * the former rules.
 *
 * @param deadline milliseconds that the disk has to answer
 * @param own places of the gateway that no root may open
 * @param load reads the file
 */
export const layer = (
  path: string,
  deadline: number,
  own: ReadonlyArray<OwnPlace> = [],
  load = (path: string) => loadAccessFile(path, own)
) =>
  Layer.effect(
    AccessRules,
    Effect.gen(function* () {
      const first = yield* attempt(path, deadline, load)
      yield* warnIfOpen(path, first)
      const rules = yield* SubscriptionRef.make<AccessFile | undefined>(first.file)
      let digest = first.digest
      /** Why the current file is not used. */
      let fault: string | undefined
      /** The signature at the last check, and that of the last version that was accepted or rejected. */
      let seen: string | undefined
      let judged: string | undefined
      const use = Effect.fnUntraced(function* (version: AccessFileVersion) {
        if (fault !== undefined) yield* Effect.logInfo("The access file can be used again")
        fault = undefined
        if (version.digest === digest) return
        digest = version.digest
        yield* SubscriptionRef.set(rules, version.file)
        yield* Effect.logInfo("The access file has changed: the new rules hold")
        yield* warnIfOpen(path, version)
      })
      const look = Effect.gen(function* () {
        const signature = yield* attempt(path, deadline, accessFileSignature)
        if (signature !== seen) {
          seen = signature
          return
        }
        if (signature === judged) return
        const version = yield* attempt(path, deadline, load)
        // Replaced since the check: the next checks will see and judge the new version.
        if (version.signature !== signature) return
        judged = signature
        yield* use(version)
      }).pipe(
        Effect.catch(({ message, lasting }) => {
          // An unreadable file may become readable without being changed.
          judged = lasting ? seen : undefined
          if (message === fault) return Effect.void
          fault = message
          return Effect.logWarning(`The access file cannot be used, and the former rules stay: ${message}`)
        })
      )
      yield* inBackground("Looking at the access file", look, lookEvery)
      return AccessRules.of({
        current: () => SubscriptionRef.getUnsafe(rules),
        changes: SubscriptionRef.changes(rules),
        faulty: () => fault !== undefined
      })
    })
  )

import { Effect, Layer, Schedule, Stream } from "effect"
import { ownEntry } from "../audit/Audit.ts"
import { AuditStore } from "../audit/AuditStore.ts"
import { hexDigest } from "../shared/bytes/Sha256Digest.ts"
import type { AccessFile } from "./AccessFile.ts"
import { AccessRules } from "./AccessRules.ts"

const digestOf = (file: AccessFile | undefined) =>
  file === undefined ? Effect.undefined : hexDigest(JSON.stringify(file))

/** Writes a row into the audit of the installation for each new version of the access file that this gateway uses. */
export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const { current, changes } = yield* AccessRules
    const store = yield* AuditStore
    let before = yield* digestOf(current())
    yield* changes.pipe(
      Stream.runForEach(
        Effect.fnUntraced(function* (file) {
          const after = yield* digestOf(file)
          if (after === before) return
          const row = ownEntry({ action: "access.reload", target: "", before, after })
          // The rules hold already; while the database is away, their row waits.
          yield* Effect.retry(store.append(undefined, [row]), Schedule.spaced("1 second"))
          before = after
        })
      ),
      Effect.forkScoped
    )
  })
)

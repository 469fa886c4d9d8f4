import { Effect, Result } from "effect"
import { within } from "../../drivers/files/Deadline.ts"
import { messageOf } from "../../languages/ErrorMessage.ts"
import { ownPlaces, type Settings } from "../../services/shared/settings/Settings.ts"
import { loadAccessFile } from "../access/AccessFileOnDisk.ts"
import { readKeys } from "../secrets/SecretKeys.ts"
import { readableFolder } from "../UsableFolder.ts"
import { usableRoot } from "../UsableRoot.ts"
import { type Finding, fault, ok } from "./Finding.ts"

/** Milliseconds that a disk has to answer. */
export const diskPatience = 10_000

const finding = (name: string, detail: string, cure: string, check: Promise<unknown>): Promise<Finding> =>
  within(diskPatience, check).then(
    () => ok(name, detail),
    (error) => fault(name, messageOf(error), cure)
  )

/** What the start reads besides its folders: as it is read there. Changes nothing. */
export const fileFindings = (settings: Settings["Service"]): Effect.Effect<ReadonlyArray<Finding>> =>
  Effect.gen(function* () {
    const { auth, roots, secrets } = settings
    const { folder, keyFile } = secrets
    const own = ownPlaces(settings)
    const found = [
      ...(auth === undefined
        ? []
        : [finding("access file", auth, "correct the file that FLOW_AUTH names", loadAccessFile(auth, own))]),
      ...(folder === undefined
        ? []
        : [
            finding("secrets", folder, "set FLOW_SECRETS to a folder that the gateway may read", readableFolder(folder))
          ]),
      ...Object.entries(roots).map(([name, root]) =>
        finding(`root ${name}`, root.path, "correct FLOW_ROOTS, or the folder", usableRoot(name, root, own))
      )
    ]
    const keys = keyFile === undefined ? undefined : yield* Effect.result(readKeys(keyFile))
    return [
      ...(yield* Effect.promise(() => Promise.all(found))),
      ...(keys === undefined
        ? []
        : [
            Result.isSuccess(keys)
              ? ok("key file", `${keyFile}, keys: ${keys.success.map(({ id }) => id).join(", ")}`)
              : fault("key file", keys.failure, "correct the file that FLOW_SECRETS_KEY_FILE names")
          ])
    ]
  })

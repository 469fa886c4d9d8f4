import { Effect } from "effect"
import * as ChannelFilesOnDisk from "../../src/layers/conf/ChannelFilesOnDisk.ts"
import { ChannelFiles } from "../../src/services/channels/ChannelFiles.ts"
import { ChannelName } from "../../src/services/channels/Job.ts"
import { TenantId } from "../../src/services/shared/Tenant.ts"

/** What the adapter needs of the settings. */
export const filesOnDisk = (conf: string) =>
  ChannelFilesOnDisk.layerAt({ conf, data: `${conf}/data`, storageDeadline: 10_000 })

export const replaced = { tenant: TenantId("mytenant"), channel: ChannelName("cut") }

/** Twenty files with the same text. */
export const equalFiles = (text: string) =>
  Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`${index}.yaml`, text.repeat(1000)]))

const [, script, conf] = process.argv
// Replaces a channel again and again, until it is killed.
if (script?.endsWith("replacing.ts") && conf !== undefined) {
  await Effect.gen(function* () {
    const store = yield* ChannelFiles
    for (let turn = 0; ; turn++) {
      yield* store.replace(replaced.tenant, replaced.channel, equalFiles("ab"[turn % 2]!), () => Effect.void)
      if (turn === 0) process.stdout.write("begun\n")
    }
  }).pipe(Effect.provide(filesOnDisk(conf)), Effect.runPromise)
}

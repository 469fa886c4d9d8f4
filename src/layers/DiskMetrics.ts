import type { StatsFs } from "node:fs"
import { statfs } from "node:fs/promises"
import { Effect, Metric } from "effect"
import { oneAtATime } from "../drivers/files/Deadline.ts"
import type { Measurement } from "../services/shared/process/ObservableMetrics.ts"
import type { Settings } from "../services/shared/settings/Settings.ts"

const gauge = (name: string, description: string) => Metric.gauge(name, { description })

const free = gauge("flow_disk_free_bytes", "Bytes that the gateway may still write on the file system of its folder")
const used = gauge("flow_disk_used_bytes", "Bytes that are taken on the file system of the folder, by whomever")

/** Measures the disk of the data folder, and that of the blobs if they are on a disk. */
export const diskMeasurements = ({
  data,
  blobs,
  storageDeadline
}: Pick<Settings["Service"], "data" | "blobs" | "storageDeadline">): ReadonlyArray<Measurement> => {
  const folders = [["data", data] as const, ...(blobs.kind === "disk" ? [["blobs", blobs.root] as const] : [])]
  const looks = oneAtATime<StatsFs>(storageDeadline)
  return folders.map(([folder, path]) => {
    const look = () => looks(path, () => statfs(path))
    const freeHere = Metric.withAttributes(free, { folder })
    const usedHere = Metric.withAttributes(used, { folder })
    const measure = Effect.flatMap(Effect.tryPromise(look), ({ bsize, blocks, bfree, bavail }) =>
      Effect.andThen(Metric.update(freeHere, bsize * bavail), Metric.update(usedHere, bsize * (blocks - bfree)))
    )
    const forget = Effect.andThen(Metric.remove(freeHere), Metric.remove(usedHere))
    return { measure, forget }
  })
}

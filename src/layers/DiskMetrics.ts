import { statfs } from "node:fs/promises"
import { Effect, Metric } from "effect"
import type { Measurement } from "../services/shared/process/ObservableMetrics.ts"
import type { Settings } from "../services/shared/settings/Settings.ts"

const gauge = (name: string, description: string) => Metric.gauge(name, { description })

const free = gauge("flow_disk_free_bytes", "Bytes that the gateway may still write on the file system of its folder")
const used = gauge("flow_disk_used_bytes", "Bytes that are taken on the file system of the folder, by whomever")

/**
 * Reading a disk that hangs blocks a thread of Node until it answers, so there is never a second read at the same time.
 */
const onceAtATime = <A>(look: () => Promise<A>): (() => Promise<A>) => {
  let underWay: Promise<A> | undefined
  return () => {
    underWay ??= look().finally(() => (underWay = undefined))
    return underWay
  }
}

/** Measures the disk of the data folder, and that of the blobs if they are on a disk. */
export const diskMeasurements = ({
  data,
  blobs
}: Pick<Settings["Service"], "data" | "blobs">): ReadonlyArray<Measurement> => {
  const folders = [["data", data] as const, ...(blobs.kind === "disk" ? [["blobs", blobs.root] as const] : [])]
  return folders.map(([folder, path]) => {
    const look = onceAtATime(() => statfs(path))
    const freeHere = Metric.withAttributes(free, { folder })
    const usedHere = Metric.withAttributes(used, { folder })
    const measure = Effect.flatMap(Effect.tryPromise(look), ({ bsize, blocks, bfree, bavail }) =>
      Effect.andThen(Metric.update(freeHere, bsize * bavail), Metric.update(usedHere, bsize * (blocks - bfree)))
    )
    const forget = Effect.andThen(Metric.remove(freeHere), Metric.remove(usedHere))
    return { measure, forget }
  })
}

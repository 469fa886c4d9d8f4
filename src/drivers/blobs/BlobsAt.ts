import { type Duration, Effect, Layer } from "effect"
import type { BlobPlace } from "../../protocol/Places.ts"
import type { Blobs } from "./Blobs.ts"
import * as Disk from "./disk/DiskBlobs.ts"
import type { S3Refused } from "./s3/Start.ts"

// Loading the S3 client takes 250 ms, so it is loaded only when needed.
const s3 = Effect.promise(() => import("./s3/S3Blobs.ts"))

/** The blob storage for the gateway, which prepares and cleans it. */
export const layer = (place: BlobPlace, deadline?: Duration.Input): Layer.Layer<Blobs, S3Refused> =>
  place.kind === "disk"
    ? Layer.provide(Disk.layer, Disk.DiskConfig.layer(place.root, deadline))
    : Layer.unwrap(Effect.map(s3, (S3) => Layer.provide(S3.layer, S3.S3Config.layer(place, deadline))))

/** The blob storage for the process of a run, which expects it to be prepared. */
export const runLayer = (place: BlobPlace, deadline?: Duration.Input): Layer.Layer<Blobs> =>
  place.kind === "disk"
    ? Layer.provide(Disk.layer, Disk.DiskConfig.layer(place.root, deadline, true))
    : Layer.unwrap(Effect.map(s3, (S3) => Layer.provide(S3.runLayer, S3.S3Config.layer(place, deadline))))

import { Effect, Layer } from "effect"
import type { Blobs } from "../../services/blobs/Blobs.ts"
import type { BlobPlace } from "../../services/shared/Settings.ts"
import * as Disk from "./Disk.ts"

export interface Use {
  /** Milliseconds that every step of a call may take. */
  readonly deadline: number
  /** The gateway prepares the place and sweeps it; the process of a run finds it prepared. */
  readonly isGateway: boolean
}

/** The blobs of a place. What only one kind of place needs is loaded for that kind alone. */
export const layer = (place: BlobPlace, use: Use): Layer.Layer<Blobs> => {
  if (place.kind === "disk") {
    return Disk.layer.pipe(Layer.provide(Disk.DiskConfig.layer(place.root, use.deadline, !use.isGateway)))
  }
  return Layer.unwrap(Effect.die(new Error("not yet")))
}

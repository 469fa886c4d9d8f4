import { Effect, Layer } from "effect"
import * as Disk from "../../src/drivers/blobs/disk/DiskBlobs.ts"
import * as Memory from "../memory/Blobs.ts"
import { behaviour } from "./behaviour.ts"
import { scratch } from "./folder.ts"

const disk = Layer.unwrap(
  Effect.map(scratch, (folder) => Disk.layer.pipe(Layer.provide(Disk.DiskConfig.layer(`${folder}/blobs`))))
)

behaviour("blobs on disk", disk)
behaviour("blobs in memory", Memory.layer)

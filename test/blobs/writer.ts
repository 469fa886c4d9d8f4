import { Effect, Layer } from "effect"
import { Blobs } from "../../src/drivers/blobs/Blobs.ts"
import * as Disk from "../../src/drivers/blobs/disk/DiskBlobs.ts"
import { noise } from "./bytes.ts"

/** Writes a blob of so many MiB (endlessly without a number) in a separate process, and prints the result. */
const [root = "", mebibytes] = process.argv.slice(2)

const source = async function* () {
  const piece = noise(1024 * 1024)
  for (let n = 0; mebibytes === undefined || n < Number(mebibytes); n++) {
    if (n === 3) console.log("writing")
    if (n > 3 && mebibytes === undefined) await new Promise((resume) => setTimeout(resume, 20))
    yield piece
  }
}

const program = Effect.flatMap(Blobs, (blobs) => blobs.write("one", source())).pipe(
  Effect.match({ onSuccess: () => "stored", onFailure: (error) => error._tag }),
  Effect.provide(Disk.layer.pipe(Layer.provide(Disk.DiskConfig.layer(root))))
)
console.log(await Effect.runPromise(program))

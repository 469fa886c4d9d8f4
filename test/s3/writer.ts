import { Effect, Layer, Redacted } from "effect"
import { Blobs } from "../../src/drivers/blobs/Blobs.ts"
import * as S3 from "../../src/drivers/blobs/s3/S3Blobs.ts"
import { noise } from "../blobs/bytes.ts"
import { accessKeyId, secretAccessKey } from "./ceph.ts"

/** Writes a blob into a bucket in a separate process, and never finishes. */
const [bucket = "", endpoint = ""] = process.argv.slice(2)

const source = async function* () {
  yield noise(20 * 1024 * 1024)
  console.log("writing")
  await new Promise((resolve) => setTimeout(resolve, 60_000))
}

const config = S3.S3Config.layer({
  kind: "s3",
  bucket,
  prefix: "some/prefix",
  endpoint,
  region: "us-east-1",
  forcePathStyle: true,
  credentials: Redacted.make({ accessKeyId, secretAccessKey })
})

await Effect.runPromise(
  Effect.flatMap(Blobs, (blobs) => blobs.write("one", source())).pipe(
    Effect.provide(S3.runLayer.pipe(Layer.provide(config)))
  )
)

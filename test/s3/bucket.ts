import { randomBytes } from "node:crypto"
import { CreateBucketCommand, ListMultipartUploadsCommand, ListObjectsV2Command, S3Client } from "@aws-sdk/client-s3"
import { Context, type Duration, Effect, Layer, Redacted } from "effect"
import { inject } from "vitest"
import { Blobs } from "../../src/drivers/blobs/Blobs.ts"
import * as S3 from "../../src/drivers/blobs/s3/S3Blobs.ts"
import type { S3Blobs } from "../../src/protocol/Places.ts"
import { accessKeyId, secretAccessKey } from "./ceph.ts"

/** A client of the tests' own, to look behind the product's back. */
export const s3 = new S3Client({
  endpoint: inject("ceph").endpoint,
  region: "us-east-1",
  forcePathStyle: true,
  credentials: { accessKeyId, secretAccessKey }
})

/** A separate place in a bucket. */
export const freshPlace = Effect.promise(async (): Promise<S3Blobs> => {
  const bucket = `test-${randomBytes(6).toString("hex")}`
  await s3.send(new CreateBucketCommand({ Bucket: bucket }))
  return {
    kind: "s3",
    bucket,
    prefix: "some/prefix",
    endpoint: inject("ceph").endpoint,
    region: "us-east-1",
    forcePathStyle: true,
    credentials: Redacted.make({ accessKeyId, secretAccessKey })
  }
})

/** The blobs of a place, as long as the scope is open. */
export const blobsAt = (place: S3Blobs, deadline?: Duration.Input) =>
  Effect.map(Layer.build(Layer.fresh(S3.layer).pipe(Layer.provide(S3.S3Config.layer(place, deadline)))), (context) =>
    Context.get(context, Blobs)
  )

/**
 * The keys of a bucket below the prefix of {@link freshPlace}, without checksums and the gateway's internal objects.
 */
export const keysIn = async (place: S3Blobs): Promise<ReadonlyArray<string>> => {
  const found = await s3.send(new ListObjectsV2Command({ Bucket: place.bucket }))
  return (found.Contents ?? [])
    .map(({ Key = "" }) => Key.slice(place.prefix.length + 1))
    .filter((key) => !key.startsWith(".") && !key.includes("/sums/"))
}

/** The keys of uploads that were neither completed nor aborted. */
export const uploadsIn = async (place: S3Blobs): Promise<ReadonlyArray<string>> => {
  const found = await s3.send(new ListMultipartUploadsCommand({ Bucket: place.bucket }))
  return (found.Uploads ?? []).map(({ Key = "" }) => Key.slice(place.prefix.length + 1))
}

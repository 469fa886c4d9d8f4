import { randomBytes } from "node:crypto"
import { GetObjectCommand, PutObjectCommand } from "@aws-sdk/client-s3"
import { Effect, Schedule, Schema } from "effect"
import { type Bucket, refusalOf, removeObject, troubleOf } from "./Bucket.ts"
import { type Keys, named, ownFolder } from "./Keys.ts"
import { page } from "./ListObjects.ts"

/** Writes, reads back and removes a small object. */
export const probe = (bucket: Bucket, keys: Keys): Promise<void> =>
  named(async (name) => {
    const target = { Bucket: bucket.name, Key: keys.temporary(ownFolder, name) }
    const sent = randomBytes(1024)
    const put = new PutObjectCommand({ ...target, Body: sent })
    try {
      await bucket.quick((limits) => bucket.client.send(put, limits))
      const received = await bucket.quick(async (limits) => {
        const answer = await bucket.client.send(new GetObjectCommand(target), limits)
        return answer.Body?.transformToByteArray()
      })
      if (received === undefined || !sent.equals(received)) {
        throw new Error("the storage does not give back what was written")
      }
    } finally {
      void removeObject(bucket, target.Key).catch(() => {})
    }
  })

/** The S3 storage cannot be used. `message` is for the operator who set `variable`. */
export class S3Refused extends Schema.TaggedError<S3Refused>()("S3Refused", {
  variable: Schema.String,
  message: Schema.String
}) {}

/** Whether a retry may help: there was no answer, or the server reported an internal problem. */
const isPassing = (error: unknown): boolean => {
  const status = refusalOf(error)?.$metadata.httpStatusCode
  return status === undefined || status >= 500 || status === 429
}

/**
 * Fails with a message for the operator unless the bucket can be used. A server that starts at the same time has 30
 * seconds to respond.
 */
export const prepare = (bucket: Bucket, keys: Keys): Effect.Effect<void, S3Refused> =>
  Effect.tryPromise({
    try: async () => {
      await page(bucket, { Prefix: keys.base, MaxKeys: 1 })
      await probe(bucket, keys)
    },
    catch: (error) => error
  }).pipe(
    Effect.retry({
      while: isPassing,
      schedule: Schedule.spaced("500 millis").pipe(Schedule.upTo({ duration: "30 seconds" }))
    }),
    Effect.mapError(
      (error) =>
        new S3Refused({ variable: "FLOW_BLOBS", message: `s3://${bucket.name} cannot be used: ${troubleOf(error)}` })
    )
  )

import { randomBytes } from "node:crypto"
import { GetObjectCommand, PutObjectCommand } from "@aws-sdk/client-s3"
import { Effect, Schedule, Schema } from "effect"
import { type Bucket, refusalOf, removeObject } from "./Bucket.ts"
import { type Keys, named, ownFolder } from "./Keys.ts"
import { page } from "./Look.ts"

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

const meanings: Readonly<Record<string, string>> = {
  NoSuchBucket: "there is no such bucket",
  InvalidBucketName: "the server does not accept the bucket's name",
  InvalidAccessKeyId: "the server does not know the access key",
  SignatureDoesNotMatch: "the secret key does not match the access key",
  AccessDenied: "the credentials may not list, read, write and remove there",
  ExpiredToken: "the session token has expired",
  InvalidToken: "the session token is not valid",
  PermanentRedirect: "the bucket is in another region",
  AuthorizationHeaderMalformed: "the bucket is in another region",
  RequestTimeTooSkewed: "the clocks of this machine and the server are too far apart"
}

const explain = (error: unknown): string => {
  const refusal = refusalOf(error)
  if (refusal !== undefined) {
    const status = refusal.$metadata.httpStatusCode
    return meanings[refusal.name] ?? `the server answered ${status} (${refusal.name})`
  }
  const code = error instanceof Error && "code" in error ? String(error.code) : "no answer in time"
  return `the server cannot be reached (${code})`
}

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
        new S3Refused({ variable: "FLOW_BLOBS", message: `s3://${bucket.name} cannot be used: ${explain(error)}` })
    )
  )

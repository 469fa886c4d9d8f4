import { randomBytes } from "node:crypto"
import { GetObjectCommand, PutObjectCommand } from "@aws-sdk/client-s3"
import type { Bucket } from "./Bucket.ts"
import { type Keys, ownFolder } from "./Keys.ts"
import { named } from "./Names.ts"
import { removeObject } from "./Publish.ts"

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

import { GetObjectCommand, PutObjectCommand } from "@aws-sdk/client-s3"
import { type Bucket, isMissing } from "./Bucket.ts"
import type { Keys } from "./Keys.ts"

/** The id of the installation that the bucket's blobs belong to; `undefined` when there is none. */
export const readOwner = async (bucket: Bucket, keys: Keys): Promise<string | undefined> => {
  const command = new GetObjectCommand({ Bucket: bucket.name, Key: keys.owner })
  try {
    const text = await bucket.quick(async (limits) => {
      const answer = await bucket.client.send(command, limits)
      return answer.Body?.transformToString()
    })
    return text === undefined || text.trim() === "" ? undefined : text.trim()
  } catch (error) {
    if (isMissing(error)) return undefined
    throw error
  }
}

/** Writes the id in place of another. */
export const writeOwner = async (bucket: Bucket, keys: Keys, installation: string): Promise<void> => {
  const command = new PutObjectCommand({ Bucket: bucket.name, Key: keys.owner, Body: Buffer.from(`${installation}\n`) })
  await bucket.quick((limits) => bucket.client.send(command, limits))
}

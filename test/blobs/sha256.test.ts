import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { slotBytes } from "../../src/drivers/blobs/disk/FileWriter.ts"
import { Sha256 } from "../../src/drivers/blobs/Sha256.ts"
import { noise, sha256 } from "./bytes.ts"

/** Hashes bytes slot by slot, as a writer does; several concurrently, so that their slots mix. */
const hashed = async (bytes: Buffer, here: boolean): Promise<string> => {
  const hash = new Sha256(here)
  try {
    for (let at = 0; at < bytes.length; at += slotBytes) {
      const slot = new SharedArrayBuffer(slotBytes)
      const length = bytes.copy(Buffer.from(slot), 0, at, at + slotBytes)
      void hash.add(slot, length)
      await Promise.resolve()
    }
    return await hash.digest()
  } finally {
    hash.close()
  }
}

describe.each([true, false])("a hash of slots (on the calling thread: %s)", (here) => {
  it.live("is that of the bytes, also of several streams at once", () =>
    Effect.gen(function* () {
      const all = [0, 1, slotBytes, 4 * slotBytes, 5 * slotBytes, 9 * slotBytes + 7].map((size) => noise(size))
      const found = yield* Effect.promise(() => Promise.all(all.map((bytes) => hashed(bytes, here))))
      assert.deepStrictEqual(found, all.map(sha256))
    })
  )
})

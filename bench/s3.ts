import { fork } from "node:child_process"
import { createHash, randomBytes } from "node:crypto"
import { once } from "node:events"
import { Readable } from "node:stream"
import { CreateBucketCommand, GetObjectCommand, S3Client } from "@aws-sdk/client-s3"
import { Upload } from "@aws-sdk/lib-storage"
import { Effect, Layer, Redacted, Stream } from "effect"
import { Blobs } from "../src/drivers/blobs/Blobs.ts"
import * as S3 from "../src/drivers/blobs/s3/S3Blobs.ts"
import { accessKeyId, secretAccessKey, startCeph } from "../test/s3/ceph.ts"
import { pinned } from "./measure.ts"

// A blob of 1 GiB into and out of S3 storage, compared with the AWS client alone: `Upload` to a name known in advance,
// hashed on the way, and `GetObject`. Each is a separate process, and they alternate. Needs Ceph's programs. `node
// bench/s3.ts`; BENCH_MIB and BENCH_ROUNDS set the size and the number of rounds.

await pinned(import.meta.filename)

const mib = 1024 * 1024
const size = Number(process.env["BENCH_MIB"] ?? 1024)
const rounds = Number(process.env["BENCH_ROUNDS"] ?? 3)

interface Measured {
  readonly up: number
  readonly down: number
  readonly growth: number
}

const content = async function* () {
  const piece = randomBytes(mib)
  for (let n = 0; n < size; n++) {
    piece.writeUInt32LE(n)
    yield Buffer.from(piece)
  }
}

/** Seconds of both directions, and the growth of the resident memory. */
const measure = async (up: () => Promise<string>, down: (key: string) => Promise<number>): Promise<Measured> => {
  const before = process.memoryUsage.rss()
  let peak = before
  const watch = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage.rss())
  }, 10)
  const began = performance.now()
  const key = await up()
  const between = performance.now()
  if ((await down(key)) !== size * mib) throw new Error("not all bytes came back")
  clearInterval(watch)
  return { up: (between - began) / 1000, down: (performance.now() - between) / 1000, growth: (peak - before) / mib }
}

const ours = (endpoint: string, bucket: string) => {
  const config = S3.S3Config.layer({
    kind: "s3",
    bucket,
    prefix: "",
    endpoint,
    region: "us-east-1",
    forcePathStyle: true,
    credentials: Redacted.make({ accessKeyId, secretAccessKey })
  })
  const program = Effect.gen(function* () {
    const blobs = yield* Blobs
    yield* blobs.health
    const add = (total: number, chunk: Uint8Array) => total + chunk.length
    return yield* Effect.promise(() =>
      measure(
        async () => (await Effect.runPromise(blobs.write("one", content()))).sha256,
        (key) => Effect.runPromise(Stream.runFold(Stream.unwrap(blobs.read("one", key)), () => 0, add))
      )
    )
  })
  return Effect.runPromise(program.pipe(Effect.provide(S3.runLayer.pipe(Layer.provide(config)))))
}

const alone = async (endpoint: string, Bucket: string) => {
  const client = new S3Client({
    endpoint,
    region: "us-east-1",
    forcePathStyle: true,
    credentials: { accessKeyId, secretAccessKey },
    requestChecksumCalculation: "WHEN_REQUIRED"
  })
  return measure(
    async () => {
      const hash = createHash("sha256")
      const hashed = async function* () {
        for await (const chunk of content()) {
          hash.update(chunk)
          yield chunk
        }
      }
      const Key = `alone-${randomBytes(4).toString("hex")}`
      const params = { Bucket, Key, Body: Readable.from(hashed()) }
      await new Upload({ client, params, partSize: 8 * mib, queueSize: 3 }).done()
      hash.digest("hex")
      return Key
    },
    async (Key) => {
      const { Body } = await client.send(new GetObjectCommand({ Bucket, Key }))
      if (!(Body instanceof Readable)) throw new Error("no bytes")
      let bytes = 0
      for await (const chunk of Body) bytes += chunk.length
      return bytes
    }
  )
}

const inChild = async (...args: ReadonlyArray<string>): Promise<Measured> => {
  const child = fork(import.meta.filename, args)
  const [answer] = await once(child, "message")
  await once(child, "exit")
  return answer
}

const median = (values: ReadonlyArray<number>) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)]!

const main = async () => {
  const ceph = await startCeph()
  try {
    const credentials = { accessKeyId, secretAccessKey }
    const client = new S3Client({ endpoint: ceph.endpoint, region: "us-east-1", forcePathStyle: true, credentials })
    const results: Record<"ours" | "alone", Array<Measured>> = { ours: [], alone: [] }
    for (let round = 0; round < rounds; round++) {
      for (const who of ["ours", "alone"] as const) {
        const bucket = `bench-${who}-${round}`
        await client.send(new CreateBucketCommand({ Bucket: bucket }))
        const measured = await inChild(who, ceph.endpoint, bucket)
        results[who].push(measured)
        console.log(round, who, measured)
      }
    }
    for (const what of ["up", "down"] as const) {
      const [us, them] = [results.ours, results.alone].map((all) => median(all.map((measured) => measured[what])))
      const speed = (seconds: number) => `${(size / seconds).toFixed(0)} MiB/s`
      console.log(`${what}load: ${speed(us!)} against ${speed(them!)}, ratio ${(them! / us!).toFixed(2)}`)
    }
    const growth = (all: ReadonlyArray<Measured>) =>
      `${Math.max(...all.map((measured) => measured.growth)).toFixed(0)} MiB`
    console.log(`growth of memory: ${growth(results.ours)} against ${growth(results.alone)}`)
  } finally {
    await ceph.stop()
  }
}

const [who, endpoint = "", bucket = ""] = process.argv.slice(2)
if (who === undefined) await main()
else {
  process.send?.(await (who === "ours" ? ours : alone)(endpoint, bucket))
  process.exit(0)
}

import { fork, spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { createReadStream, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Writable } from "node:stream"
import { pipeline } from "node:stream/promises"
import { createDeflateRaw } from "node:zlib"
import { Effect, Layer } from "effect"
import { Blobs } from "../src/drivers/blobs/Blobs.ts"
import * as Disk from "../src/drivers/blobs/DiskBlobs.ts"
import { heapOptions } from "../src/layers/engine/Child.ts"
import { zip } from "../src/run/archive/Zip.ts"

// The archive of 256 MiB of access logs in 32 entries: zipped, hashed and stored as a durable blob, as a run does it,
// against the `zip` command at the same level, which only writes a file. Each is a process of its own, ours with the
// heap of a run's, and they alternate. Without `zip` the reference is a bare deflate stream of Node.

const files = 32
const fileBytes = (Number(process.env["BENCH_MIB"] ?? 256) * 1024 * 1024) / files
const rounds = 3
const level = 6

/** Access log lines from a fixed seed: a few hosts, paths and agents, many numbers. */
const logText = (bytes: number, seed: number): Buffer => {
  let state = seed
  const pick = (below: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
  const agents = [
    "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
    "curl/8.14.1",
    "Go-http-client/2.0"
  ]
  const text: Array<string> = []
  for (let length = 0; length < bytes; ) {
    const time = `${String(pick(24)).padStart(2, "0")}:${String(pick(60)).padStart(2, "0")}:${String(pick(60)).padStart(2, "0")}`
    const line =
      `10.${pick(4)}.${pick(256)}.${pick(256)} - - [01/Mar/2026:${time} +0000] "GET /shop/items/${pick(100_000)}` +
      `?session=${pick(2 ** 32).toString(16)} HTTP/1.1" ${[200, 200, 200, 304, 404][pick(5)]} ${pick(90_000)}` +
      ` "https://example.org/list?page=${pick(500)}" "${agents[pick(agents.length)]}"\n`
    text.push(line)
    length += line.length
  }
  return Buffer.from(text.join("")).subarray(0, bytes)
}

const names = (folder: string) => Array.from({ length: files }, (_, n) => join(folder, `access-${n}.log`))

/** Prints milliseconds, bytes of the zip, and how far the resident memory grew, in MiB. */
const ours = async (folder: string) => {
  const program = Effect.gen(function* () {
    const blobs = yield* Blobs
    yield* blobs.health
    const before = process.memoryUsage.rss()
    let peak = before
    const watch = setInterval(() => {
      peak = Math.max(peak, process.memoryUsage.rss())
    }, 10)
    const started = performance.now()
    const archive = zip({ level, scratch: async () => mkdtempSync(join(folder, "scratch-")) })
    const fill = async () => {
      for (const name of names(folder)) {
        const entry = await archive.entry(name.slice(folder.length + 1))
        for await (const chunk of createReadStream(name, { highWaterMark: 256 * 1024 })) await entry.write(chunk)
        await entry.close()
      }
      await archive.seal()
    }
    const [blob] = yield* Effect.all([blobs.write("one", archive.bytes), Effect.promise(fill)], {
      concurrency: "unbounded"
    })
    clearInterval(watch)
    return [performance.now() - started, blob.size, (peak - before) / 2 ** 20]
  })
  const disk = Disk.layer.pipe(Layer.provide(Disk.DiskConfig.layer(mkdtempSync(join(folder, "blobs-")))))
  process.send?.(await Effect.runPromise(Effect.provide(program, disk)))
}

const bare = async (folder: string) => {
  const started = performance.now()
  let bytes = 0
  for (const name of names(folder)) {
    const count = new Writable({
      write: (chunk: Buffer, _, done) => {
        bytes += chunk.length
        done()
      }
    })
    await pipeline(createReadStream(name, { highWaterMark: 256 * 1024 }), createDeflateRaw({ level }), count)
  }
  process.send?.([performance.now() - started, bytes, 0])
}

const inChild = async (role: string, folder: string): Promise<ReadonlyArray<number>> => {
  const child = fork(import.meta.filename, [role, folder], { execArgv: [...heapOptions(512)] })
  const [answer] = await once(child, "message")
  await once(child, "exit")
  return answer
}

const zipCommand = async (folder: string): Promise<ReadonlyArray<number>> => {
  const target = join(folder, "reference.zip")
  rmSync(target, { force: true })
  const started = performance.now()
  const [code] = await once(spawn("zip", ["-q", "-j", `-${level}`, target, ...names(folder)]), "exit")
  if (code !== 0) throw new Error(`zip ended with ${code}`)
  return [performance.now() - started, 0, 0]
}

const median = (values: ReadonlyArray<number>) => [...values].sort((a, b) => a - b)[values.length >> 1] ?? 0

const compare = async () => {
  const folder = mkdtempSync(join(tmpdir(), "flow-bench-"))
  try {
    for (const [n, name] of names(folder).entries()) writeFileSync(name, logText(fileBytes, n + 1))
    const hasZip = spawnSync("zip", ["-v"]).status === 0
    const reference = hasZip ? () => zipCommand(folder) : () => inChild("bare", folder)
    const runs: Array<readonly [ours: ReadonlyArray<number>, reference: ReadonlyArray<number>]> = []
    for (let round = 0; round < rounds; round++) runs.push([await inChild("ours", folder), await reference()])
    const rate = (millis: number) => `${((files * fileBytes) / 1e6 / (millis / 1000)).toFixed(0)} MB/s`
    const [mine, theirs] = [median(runs.map(([a]) => a[0]!)), median(runs.map(([, b]) => b[0]!))]
    const ratio = median(runs.map(([a, b]) => b[0]! / a[0]!)).toFixed(2)
    const growth = median(runs.map(([a]) => a[2]!)).toFixed(0)
    const name = hasZip ? `zip -${level}` : `node deflate level ${level}`
    console.log("what | ours | reference | ratio | target")
    console.log(
      `archive of ${(files * fileBytes) >> 20} MiB | ${rate(mine)} | ${name} ${rate(theirs)} | ${ratio} | 1.0`
    )
    console.log(`its memory growth | ${growth} MiB | - | - | < 64 MiB`)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const [role, argument = ""] = process.argv.slice(2)
if (role === "ours") await ours(argument)
else if (role === "bare") await bare(argument)
else await compare()

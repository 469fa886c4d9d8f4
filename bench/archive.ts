import { fork, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { open } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, Layer } from "effect"
import { Blobs } from "../src/drivers/blobs/Blobs.ts"
import * as Disk from "../src/drivers/blobs/disk/DiskBlobs.ts"
import { heapOptions } from "../src/layers/engine/Child.ts"
import { zip } from "../src/run/archive/Zip.ts"
import { median, memoryMiBOf, onCores } from "./measure.ts"

// An archive of 256 MiB of access logs in 32 entries: zipped, hashed and stored as a durable blob, as a run does it,
// compared with `zip -6`, which only writes a file. Each is a separate process, ours with the heap of a run, and they
// alternate. Ours is measured with level 5, which the gateway uses and which compresses as well as level 6 of `zip`,
// and with level 6. Needs `zip`.

const files = 32
const fileBytes = (Number(process.env["BENCH_MIB"] ?? 256) * 1024 * 1024) / files
const rounds = Number(process.env["BENCH_ROUNDS"] ?? 3)

/** Access log lines from a fixed seed: a few hosts, paths and agents, and many numbers. */
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

/** Reports the seconds from the first byte to the durable blob, and the blob's size. */
const ours = async (folder: string, level: number) => {
  const program = Effect.gen(function* () {
    const blobs = yield* Blobs
    yield* blobs.health
    const started = performance.now()
    const archive = zip({ level, scratch: async () => mkdtempSync(join(folder, "scratch-")) })
    const fill = async () => {
      const room = Buffer.allocUnsafe(256 * 1024)
      for (const name of names(folder)) {
        const entry = await archive.entry(name.slice(folder.length + 1))
        const file = await open(name)
        for (let read = await file.read(room); read.bytesRead > 0; read = await file.read(room)) {
          await entry.write(room.subarray(0, read.bytesRead))
        }
        await file.close()
        await entry.close()
      }
      await archive.seal()
    }
    const [blob] = yield* Effect.all([blobs.write("one", archive.bytes), Effect.promise(fill)], {
      concurrency: "unbounded"
    })
    return { seconds: (performance.now() - started) / 1000, bytes: blob.size }
  })
  const disk = Disk.layer.pipe(Layer.provide(Disk.DiskConfig.layer(mkdtempSync(join(folder, "blobs-")))))
  process.send?.(await Effect.runPromise(Effect.provide(program, disk)))
}

interface Taken {
  readonly seconds: number
  /** Processor time of the whole process, including its start. */
  readonly cpuSeconds: number
  readonly peakMiB: number
  readonly bytes: number
}

/** Processor seconds of this process's children that have ended. */
const endedSeconds = (): number => {
  const fields = readFileSync("/proc/self/stat", "utf8").split(") ").at(-1)?.split(" ") ?? []
  return (Number(fields[13]) + Number(fields[14])) / 100
}

const watched = async (pid: number, work: () => Promise<{ readonly seconds: number; readonly bytes: number }>) => {
  let peakMiB = 0
  const sampler = setInterval(() => {
    peakMiB = Math.max(peakMiB, memoryMiBOf([pid]))
  }, 50)
  const before = endedSeconds()
  try {
    const told = await work()
    return { ...told, cpuSeconds: endedSeconds() - before, peakMiB } satisfies Taken
  } finally {
    clearInterval(sampler)
  }
}

const oursIn = (folder: string, level: number): Promise<Taken> => {
  const child = fork(import.meta.filename, [folder, String(level)], { execArgv: [...heapOptions(512)] })
  return watched(child.pid ?? 0, async () => {
    const [[told]] = await Promise.all([once(child, "message"), once(child, "exit")])
    return told
  })
}

const zipCommand = (folder: string): Promise<Taken> => {
  const target = join(folder, "reference.zip")
  rmSync(target, { force: true })
  const started = performance.now()
  const child = spawn("zip", ["-q", "-j", "-6", target, ...names(folder)])
  return watched(child.pid ?? 0, async () => {
    const [code] = await once(child, "exit")
    if (code !== 0) throw new Error(`zip ended with ${code}`)
    return { seconds: (performance.now() - started) / 1000, bytes: statSync(target).size }
  })
}

const compare = async () => {
  const folder = mkdtempSync(join(tmpdir(), "flow-bench-"))
  try {
    for (const [n, name] of names(folder).entries()) writeFileSync(name, logText(fileBytes, n + 1))
    const ways: Record<string, () => Promise<Taken>> = {
      "level 5": () => oursIn(folder, 5),
      "level 6": () => oursIn(folder, 6),
      "zip -6": () => zipCommand(folder)
    }
    const taken = new Map<string, Array<Taken>>(Object.keys(ways).map((name) => [name, []]))
    for (let round = 0; round < rounds; round++) {
      const order = Object.entries(ways)
      for (const [name, way] of round % 2 === 0 ? order : order.toReversed()) taken.get(name)?.push(await way())
    }
    const of = (name: string, value: (one: Taken) => number) => median(taken.get(name)!.map(value))
    console.log("what | seconds | `zip -6` / it | CPU ms/MB | peak MiB | MB")
    for (const name of taken.keys()) {
      const seconds = of(name, (one) => one.seconds)
      const ratio = of("zip -6", (one) => one.seconds) / seconds
      const cpu = of(name, (one) => one.cpuSeconds) / ((files * fileBytes) / 1e9)
      const [peak, size] = [of(name, (one) => one.peakMiB), of(name, (one) => one.bytes) / 1e6]
      const figures = [seconds.toFixed(2), ratio.toFixed(2), cpu.toFixed(2), peak.toFixed(0), size.toFixed(2)]
      console.log(`${name} | ${figures.join(" | ")}`)
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const [folder, level] = process.argv.slice(2)
if (folder !== undefined) await ours(folder, Number(level))
else onCores(import.meta.filename, compare)

import { spawn } from "node:child_process"
import { createHash } from "node:crypto"
import { once } from "node:events"
import { createReadStream, createWriteStream, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pipeline } from "node:stream/promises"
import { Effect, Layer, Stream } from "effect"
import { EngineConfig } from "../src/layers/engine/EngineConfig.ts"
import * as LocalEngine from "../src/layers/engine/LocalEngine.ts"
import type { DagNode, Flowline } from "../src/protocol/Flowline.ts"
import { Engine } from "../src/services/runs/Attempt.ts"
import { writeLog } from "./accessLog.ts"

/**
 * A stream flowline, file → grok → filter → file, with `parallelism` 1, 2 and 4, against the same work written by hand
 * for Node in one process: `node bench/parallel.ts`.
 */

const mib = Number(process.env["BENCH_MIB"] ?? 256)
const rounds = Number(process.env["BENCH_ROUNDS"] ?? 3)
const widths = [1, 2, 4]

const names = "clientip ident auth timestamp verb request httpversion response bytes referrer agent".split(" ")

const byHand = async (from: string, to: string) => {
  const regex =
    /^(\S+) (\S+) (\S+) \[([^\]]+)\] "(?:(\w+) (\S+)(?: HTTP\/([\d.]+))?)" (\d+) (?:(\d+)|-) ("[^"]*") ("[^"]*")/
  const out = createWriteStream(to, { highWaterMark: 2 ** 20 })
  const decoder = new TextDecoder()
  let carry = ""
  const handle = (lines: ReadonlyArray<string>) => {
    const events = lines.flatMap((message) => {
      const found = regex.exec(message)
      if (found === null) return []
      const event: Record<string, unknown> = { message }
      for (let at = 0; at < names.length; at++) event[names[at]!] = found[at + 1]
      return [event]
    })
    const kept = events.filter((event) => event["response"] === "200")
    return out.write(`${kept.map((event) => JSON.stringify(event)).join("\n")}\n`)
  }
  for await (const chunk of createReadStream(from, { highWaterMark: 2 ** 18 })) {
    const lines = (carry + decoder.decode(chunk, { stream: true })).split("\n")
    carry = lines.pop()!
    if (!handle(lines)) await once(out, "drain")
  }
  out.end()
  await once(out, "close")
}

const node = (type: string, settings: DagNode["settings"], from?: string): DagNode => ({
  type,
  settings,
  subscribe: from === undefined ? [] : [{ component: from, stream: "logs" }],
  publish: [{ stream: "logs" }]
})

const flowline = (parallelism: number): Flowline => ({
  runtime: "stream",
  settings: { parallelism },
  dag: [
    node("file_input", { path: "access.log" }),
    node("grok", { patterns: ["%{COMBINEDAPACHELOG}"] }, "file_input"),
    node("filter", { where: 'response == "200"' }, "grok"),
    node("file_output", { path: `out-${parallelism}.ndjson` }, "filter")
  ]
})

const inChild = async (from: string, to: string): Promise<number> => {
  const before = performance.now()
  const child = spawn(process.execPath, [import.meta.filename, "by-hand", from, to], { stdio: "inherit" })
  await once(child, "exit")
  return performance.now() - before
}

/** Milliseconds of a run, of processors in it, and its peak of memory in MiB. */
const inEngine = (parallelism: number) =>
  Effect.gen(function* () {
    const { run } = yield* Engine
    let failure: string | undefined
    let peak = 0
    let cpu = 0
    let timer: NodeJS.Timeout | undefined
    const before = performance.now()
    yield* Stream.runForEach(
      run({ tenant: "bench", executionId: `b${parallelism}`, epoch: 1, flowline: flowline(parallelism) }),
      (message) =>
        Effect.sync(() => {
          if (message._tag === "Ended") failure = message.error
          if (message._tag !== "Started") return
          timer = setInterval(() => {
            try {
              const [, kib] = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${message.pid}/status`, "latin1")) ?? []
              if (kib !== undefined) peak = Number(kib) / 1024
              const fields = readFileSync(`/proc/${message.pid}/stat`, "latin1").split(") ")[1]?.split(" ") ?? []
              cpu = (Number(fields[11]) + Number(fields[12])) * 10
            } catch {
              clearInterval(timer)
            }
          }, 20)
        })
    )
    clearInterval(timer)
    if (failure !== undefined) return yield* Effect.die(new Error(failure))
    return { millis: performance.now() - before, cpu, peak }
  })

const median = (values: ReadonlyArray<number>) => [...values].sort((a, b) => a - b)[values.length >> 1] ?? Number.NaN

const sha256 = async (path: string): Promise<string> => {
  const hash = createHash("sha256")
  await pipeline(createReadStream(path, { highWaterMark: 2 ** 20 }), hash)
  return hash.digest("hex")
}

const compare = async (folder: string) => {
  const conf = join(folder, "conf", "tenants", "bench")
  mkdirSync(conf, { recursive: true })
  const log = join(conf, "access.log")
  await writeLog(log, mib)
  const settings = EngineConfig.settings({
    confRoot: join(folder, "conf"),
    dataRoot: join(folder, "data"),
    tempRoot: join(folder, "temp"),
    blobs: { kind: "disk", root: join(folder, "blobs") }
  })
  const engine = LocalEngine.layer.pipe(Layer.provide(Layer.succeed(EngineConfig, settings)))
  const times = new Map<number, Array<number>>([0, ...widths].map((width) => [width, []]))
  const cpus = new Map<number, Array<number>>(widths.map((width) => [width, []]))
  const peaks = new Map<number, number>()
  for (let round = 0; round < rounds; round++) {
    times.get(0)?.push(await inChild(log, join(folder, "hand.ndjson")))
    for (const width of widths) {
      const { millis, cpu, peak } = await Effect.runPromise(Effect.provide(inEngine(width), engine))
      times.get(width)?.push(millis)
      cpus.get(width)?.push(cpu)
      peaks.set(width, Math.max(peak, peaks.get(width) ?? 0))
    }
  }
  const hand = median(times.get(0) ?? [])
  const one = median(times.get(1) ?? [])
  console.log(`by hand, one process | ${(mib / (hand / 1000)).toFixed(0)} MiB/s`)
  for (const width of widths) {
    const time = median(times.get(width) ?? [])
    const rate = `${(mib / (time / 1000)).toFixed(0)} MiB/s`
    const ofHand = `${(hand / time).toFixed(2)} of by hand`
    const ofOne = `${(one / time).toFixed(2)} of 1`
    const cpu = `processor time ${(median(cpus.get(width) ?? []) / median(cpus.get(1) ?? [])).toFixed(2)} of 1`
    console.log(
      `parallelism ${width} | ${rate} | ${ofHand} | ${ofOne} | ${cpu} | peak ${peaks.get(width)?.toFixed(0)} MiB`
    )
  }
  const hashes = await Promise.all(
    widths.map((width) => sha256(join(folder, "data/bench/data", `out-${width}.ndjson`)))
  )
  console.log(`same output | ${new Set(hashes).size === 1}`)
}

const [role, ...paths] = process.argv.slice(2)
if (role === "by-hand") await byHand(paths[0] ?? "", paths[1] ?? "")
else {
  const folder = mkdtempSync(join(tmpdir(), "flow-bench-"))
  await compare(folder).finally(() => rmSync(folder, { recursive: true, force: true }))
}

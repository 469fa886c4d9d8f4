import { spawn } from "node:child_process"
import { once } from "node:events"
import { createReadStream, createWriteStream, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, Layer, Stream } from "effect"
import { startBundled } from "../src/drivers/Programs.ts"
import { EngineConfig } from "../src/layers/engine/EngineConfig.ts"
import * as LocalEngine from "../src/layers/engine/LocalEngine.ts"
import type { DagNode, Flowline } from "../src/protocol/Flowline.ts"
import { Engine } from "../src/services/runs/Attempt.ts"
import { writeLog } from "./accessLog.ts"

/**
 * A stream flowline, file → grok → filter → file, against the same work written by hand for Node: stages over arrays
 * of a 256 KiB chunk's lines. Both are processes of their own and alternate. Then the time from `run` to a run's first
 * message, with a warm runner and without: `node bench/run.ts`.
 */

// Runs start the programs that a gateway starts.
startBundled()

const mib = Number(process.env["BENCH_MIB"] ?? 128)
const rounds = Number(process.env["BENCH_ROUNDS"] ?? 5)
const starts = Number(process.env["BENCH_STARTS"] ?? 40)

const byHand = async (from: string, to: string) => {
  const regex =
    /^(\S+) (\S+) (\S+) \[([^\]]+)\] "(?:(\w+) (\S+)(?: HTTP\/([\d.]+))?|(.*?))" (\d+) (?:(\d+)|-) ("[^"]*") ("[^"]*")/
  const parse = (line: string) => {
    const m = regex.exec(line)
    if (m === null) return undefined
    const [
      ,
      clientip,
      ident,
      auth,
      timestamp,
      verb,
      request,
      httpversion,
      rawrequest,
      response,
      bytes,
      referrer,
      agent
    ] = m
    if (rawrequest !== undefined)
      return { message: line, clientip, ident, auth, timestamp, rawrequest, response, bytes, referrer, agent }
    return {
      message: line,
      clientip,
      ident,
      auth,
      timestamp,
      verb,
      request,
      httpversion,
      response,
      bytes,
      referrer,
      agent
    }
  }
  const out = createWriteStream(to, { highWaterMark: 2 ** 20 })
  const decoder = new TextDecoder()
  let carry = ""
  const handle = (lines: ReadonlyArray<string>) => {
    const events = lines.map(parse).filter((event) => event !== undefined)
    const kept = events.filter((event) => event.response === "200")
    const texts = kept.map((event) => JSON.stringify(event))
    return out.write(`${texts.join("\n")}\n`)
  }
  for await (const chunk of createReadStream(from, { highWaterMark: 2 ** 18 })) {
    const lines = (carry + decoder.decode(chunk, { stream: true })).split("\n")
    carry = lines.pop()!
    if (!handle(lines)) await once(out, "drain")
  }
  if (carry !== "") handle([carry])
  out.end()
  await once(out, "close")
}

const node = (type: string, settings: DagNode["settings"], from?: string): DagNode => ({
  type,
  settings,
  subscribe: from === undefined ? [] : [{ component: from, stream: "logs" }],
  publish: [{ stream: "logs" }]
})

const flowline: Flowline = {
  runtime: "stream",
  settings: {},
  dag: [
    node("file_input", { path: "access.log" }),
    node("grok", { patterns: ["%{COMBINEDAPACHELOG}"] }, "file_input"),
    node("filter", { where: 'response == "200"' }, "grok"),
    node("file_output", { path: "out.ndjson" }, "filter")
  ]
}

const small: Flowline = {
  runtime: "stream",
  settings: {},
  dag: [node("generator_input", { messages: ["hello"], count: 1 }), node("show", {}, "generator_input")]
}

/** Processor time in seconds and peak memory in MiB of a process, polled: the last reading is at most 10 ms old. */
const watchCpu = (pid: number) => {
  const read = () => {
    const fields = readFileSync(`/proc/${pid}/stat`, "latin1").split(") ")[1]?.split(" ") ?? []
    const [, peak] = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "latin1")) ?? []
    return peak === undefined
      ? last
      : { cpu: (Number(fields[11]) + Number(fields[12])) / 100, peak: Number(peak) / 1024 }
  }
  let last = { cpu: 0, peak: 0 }
  last = read()
  // What a warm runner used while it was loading is not the run's.
  const first = last.cpu
  const timer = setInterval(() => {
    try {
      last = read()
    } catch {
      clearInterval(timer)
    }
  }, 10)
  return () => {
    clearInterval(timer)
    return { cpu: last.cpu - first, peak: last.peak }
  }
}

interface Measure {
  readonly wall: number
  readonly cpu: number
  readonly peak: number
}

const inChild = async (from: string, to: string): Promise<Measure> => {
  const before = performance.now()
  const child = spawn(process.execPath, [import.meta.filename, "by-hand", from, to], { stdio: "inherit" })
  const done = watchCpu(child.pid ?? 0)
  await once(child, "exit")
  return { wall: (performance.now() - before) / 1000, ...done() }
}

const inEngine = Effect.gen(function* () {
  const { run } = yield* Engine
  yield* Effect.sleep("2 seconds")
  const before = performance.now()
  let done = () => ({ cpu: 0, peak: 0 })
  let failure: string | undefined
  yield* Stream.runForEach(run({ tenant: "bench", executionId: "b", epoch: 1, flowline }), (message) =>
    Effect.sync(() => {
      if (message._tag === "Started") done = watchCpu(message.pid)
      if (message._tag === "Ended") failure = message.error
    })
  )
  if (failure !== undefined) return yield* Effect.die(new Error(failure))
  return { wall: (performance.now() - before) / 1000, ...done() }
})

/** Milliseconds to the first message and to the first line of output. */
const firstMessages = Effect.gen(function* () {
  const { run } = yield* Engine
  const before = performance.now()
  const times: { started?: number; output?: number } = {}
  yield* Stream.runForEach(run({ tenant: "bench", executionId: "s", epoch: 1, flowline: small }), (message) =>
    Effect.sync(() => {
      if (message._tag === "Started") times.started = performance.now() - before
      if (message._tag === "Output") times.output ??= performance.now() - before
    })
  )
  return { started: times.started ?? Number.NaN, output: times.output ?? Number.NaN }
})

const quantile = (values: ReadonlyArray<number>, q: number) =>
  [...values].sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * q))] ?? Number.NaN

const row = (...cells: ReadonlyArray<string>) => console.log(cells.join(" | "))

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
  const withEngine = <A>(effect: Effect.Effect<A, unknown, Engine>, warm: boolean) => {
    const layer = LocalEngine.layer.pipe(Layer.provide(Layer.succeed(EngineConfig, { ...settings, warm })))
    return Effect.runPromise(Effect.provide(effect, layer))
  }

  row("what", "ours", "reference", "ratio", "target")
  const pairs: Array<readonly [ours: Measure, hand: Measure]> = []
  for (let round = 0; round < rounds; round++) {
    const hand = await inChild(log, join(folder, "hand.ndjson"))
    pairs.push([await withEngine(inEngine, true), hand])
  }
  const sizes = [join(folder, "data", "bench", "data", "out.ndjson"), join(folder, "hand.ndjson")].map(
    (path) => statSync(path).size
  )
  const rate = (values: ReadonlyArray<number>) => `${(mib / quantile(values, 0.5)).toFixed(0)} MiB/s`
  for (const kind of ["wall", "cpu"] as const) {
    const [ours, hand] = [pairs.map(([a]) => a[kind]), pairs.map(([, b]) => b[kind])]
    const ratio = quantile(
      pairs.map(([a, b]) => b[kind] / a[kind]),
      0.5
    )
    row(`file → grok → filter → file, by ${kind} time`, rate(ours), rate(hand), ratio.toFixed(2), "0.8")
  }
  row("its bytes written", `${sizes[0]}`, `${sizes[1]}`, ((sizes[0] ?? 0) / (sizes[1] ?? 1)).toFixed(2), "1.0")
  row("its peak of memory, MiB", ...[0, 1].map((i) => `${Math.max(...pairs.map((pair) => pair[i]!.peak)).toFixed(0)}`))

  for (const warm of [true, false]) {
    const many = Effect.gen(function* () {
      const times: Array<{ started: number; output: number }> = []
      for (let i = 0; i < starts; i++) {
        // Time enough for the next runner to be there.
        yield* Effect.sleep(warm ? 900 : 0)
        times.push(yield* firstMessages)
      }
      return times
    })
    const times = await withEngine(many, warm)
    for (const what of ["started", "output"] as const) {
      const values = times.map((time) => time[what])
      const [half, most] = [0.5, 0.99].map((q) => `${quantile(values, q).toFixed(1)} ms`)
      row(`run to ${what}, ${warm ? "warm" : "no warm runner"}`, `p50 ${half}, p99 ${most}`, "-", "-", "150, 400 ms")
    }
  }
}

const [role, ...paths] = process.argv.slice(2)
if (role === "by-hand") await byHand(paths[0] ?? "", paths[1] ?? "")
else {
  const folder = mkdtempSync(join(tmpdir(), "flow-bench-"))
  await compare(folder).finally(() => rmSync(folder, { recursive: true, force: true }))
}

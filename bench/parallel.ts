import { spawn } from "node:child_process"
import { createHash } from "node:crypto"
import { once } from "node:events"
import { createReadStream, createWriteStream, globSync, mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pipeline } from "node:stream/promises"
import type { Flowline } from "../src/protocol/Flowline.ts"
import { writeLog } from "./accessLog.ts"
import { type Cost, costOf, median, onCores } from "./measure.ts"
import { confOf, Gateway, node } from "./runs.ts"

/**
 * Two stream flowlines, with `parallelism` 1 and 2, through a gateway over HTTP: `node bench/parallel.ts`. The first,
 * file → grok → filter → file, is compared with the same work hand-written for Node in one process; it writes more than
 * it reads. The second computes twice as much per record and writes less than it reads.
 */

const mib = Number(process.env["BENCH_MIB"] ?? 512)
const rounds = Number(process.env["BENCH_ROUNDS"] ?? 3)
const widths = [1, 2]

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

const read = [
  node("file_input", { path: "access.log" }),
  node("grok", { patterns: ["%{COMBINEDAPACHELOG}"] }, "file_input")
] as const
const chains = {
  "grok, 4 of 5 lines written": [...read, node("filter", { where: 'response == "200"' }, "grok")],
  "grok, date, user_agent, 1 of 5 lines written": [
    ...read,
    node("date", { field: "timestamp", formats: ["dd/MMM/yyyy:HH:mm:ss Z"] }, "grok"),
    node("user_agent", { field: "agent" }, "date"),
    node("filter", { where: 'response == "404"' }, "user_agent")
  ]
} as const

const flowline = (chain: keyof typeof chains, parallelism: number): Flowline => ({
  runtime: "stream",
  settings: { parallelism },
  dag: [...chains[chain], node("file_output", { path: `out-${parallelism}.ndjson` }, "filter")]
})

const inChild = async (from: string, to: string): Promise<void> => {
  await once(spawn(process.execPath, [import.meta.filename, "by-hand", from, to], { stdio: "inherit" }), "exit")
}

const sha256 = async (path: string): Promise<string> => {
  const hash = createHash("sha256")
  await pipeline(createReadStream(path, { highWaterMark: 2 ** 20 }), hash)
  return hash.digest("hex")
}

const wall = (costs: ReadonlyArray<{ readonly millis: number }>) => median(costs.map(({ millis }) => millis))
const cpu = (costs: ReadonlyArray<Cost>) => median(costs.map(({ cpuSeconds }) => cpuSeconds))

const compareChain = async (folder: string, gateway: Gateway, chain: keyof typeof chains, withHand: boolean) => {
  const log = join(confOf(folder), "access.log")
  const hand = join(folder, "hand.ndjson")
  const ids = new Map<number, string>()
  for (const width of widths) ids.set(width, await gateway.save(flowline(chain, width)))
  const measured = new Map<string, Array<Cost & { readonly millis: number }>>()
  const hashes = new Set<string>()
  for (let round = 0; round < rounds; round++) {
    const sides = [...(withHand ? ["by hand"] : []), ...widths.map((width) => `parallelism ${width}`)]
    for (const side of round % 2 === 0 ? sides : sides.toReversed()) {
      await gateway.idle()
      const width = Number(side.split(" ")[1])
      let millis = 0
      const work = async () => {
        const began = performance.now()
        if (side === "by hand") await inChild(log, hand)
        else await gateway.execute(ids.get(width)!)
        millis = performance.now() - began
      }
      const own = side === "by hand" ? process.pid : gateway.pid
      const cost = await costOf([own], work)
      measured.set(side, [...(measured.get(side) ?? []), { ...cost, millis }])
      // A file that replaces another one would also pay for its removal.
      const written = side === "by hand" ? [hand] : globSync(join(folder, "**", `out-${width}.ndjson`))
      if (round === 0 && side !== "by hand") for (const path of written) hashes.add(await sha256(path))
      for (const path of written) rmSync(path)
    }
  }
  const one = measured.get("parallelism 1")!
  console.log(`${chain}, ${mib} MiB: rate | relative to one part | CPU per GiB | peak of all processes`)
  for (const [side, costs] of measured) {
    const cells = [
      `${(mib / (wall(costs) / 1000)).toFixed(0)} MiB/s`,
      (wall(one) / wall(costs)).toFixed(2),
      `${((cpu(costs) * 1024) / mib).toFixed(2)} s`,
      `${Math.max(...costs.map(({ peakMiB }) => peakMiB)).toFixed(0)} MiB`
    ]
    console.log(`| ${side} | ${cells.join(" | ")} |`)
  }
  console.log(`same output: ${hashes.size === 1}`)
}

const compare = async () => {
  const folder = mkdtempSync(join(tmpdir(), "flow-bench-"))
  mkdirSync(confOf(folder), { recursive: true })
  await writeLog(join(confOf(folder), "access.log"), mib)
  const gateway = await Gateway.start(folder)
  try {
    await compareChain(folder, gateway, "grok, 4 of 5 lines written", true)
    await compareChain(folder, gateway, "grok, date, user_agent, 1 of 5 lines written", false)
  } finally {
    await gateway.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

const [role, ...paths] = process.argv.slice(2)
if (role === "by-hand") await byHand(paths[0] ?? "", paths[1] ?? "")
else onCores(import.meta.filename, compare)

import { spawn } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"
import { Effect, Layer } from "effect"
import { pinned } from "./measure.ts"

/**
 * The effect on other requests while runaway patterns and programs are tested. Starts a gateway in a separate process
 * and measures, at rest and under attack, a plain request and a small operator test. `node bench/guard.ts [seconds]`.
 */

await pinned(import.meta.filename)

const seconds = Number(process.argv[2] ?? 10)

const serve = async () => {
  const { memoryGateway, TestGateway } = await import("../test/support/gateway.ts")
  const announce = Effect.flatMap(TestGateway, ({ url }) => Effect.sync(() => console.log(url)))
  await Effect.runPromise(Layer.launch(Layer.effectDiscard(announce).pipe(Layer.provide(memoryGateway()))))
}

const post = async (url: string, operator: string, parts: Record<string, string>) => {
  const body = new FormData()
  for (const [name, text] of Object.entries(parts)) body.append(name, new Blob([text]), name)
  const response = await fetch(`${url}/v1/flower/${operator}`, { method: "POST", body })
  const text = await response.text()
  if (response.status !== 200) throw new Error(`${response.status}: ${text.slice(0, 200)}`)
  return JSON.parse(text)
}

const attacks: ReadonlyArray<readonly [operator: string, parts: Record<string, string>]> = [
  ["grok", { input: `${"a".repeat(60)}!\n`.repeat(200), pattern: "^(a|aa)+$" }],
  ["grok", { input: `${"a".repeat(400)}\n`.repeat(200), pattern: "(.*a){30}b" }],
  ["flowlet", { input: "x\n".repeat(200), logFile: "for (;;);" }],
  ["flowlet", { input: "x\n".repeat(200), logFile: "const a = []; for (;;) a.push(new Uint8Array(1e5))" }]
]

const percentile = (sorted: ReadonlyArray<number>, share: number) =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN

/** Repeats a request sequentially during a phase, and prints its latencies in milliseconds. */
const measure = async (name: string, request: () => Promise<unknown>): Promise<number> => {
  const taken: Array<number> = []
  const end = performance.now() + seconds * 1000
  while (performance.now() < end) {
    const began = performance.now()
    await request()
    taken.push(performance.now() - began)
  }
  taken.sort((a, b) => a - b)
  const [p50, p99, max] = [0.5, 0.99, 1].map((share) => percentile(taken, share).toFixed(1))
  console.log(`${name.padEnd(34)} ${String(taken.length).padStart(6)} requests  p50 ${p50}  p99 ${p99}  max ${max} ms`)
  return percentile(taken, 0.99)
}

const main = async () => {
  const child = spawn(process.execPath, [fileURLToPath(import.meta.url), "serve"], {
    stdio: ["ignore", "pipe", "inherit"]
  })
  try {
    const [line]: Array<unknown> = await once(child.stdout, "data")
    const url = String(line).trim()
    const plain = async () => {
      const response = await fetch(`${url}/v1/mytenant/conf`)
      await response.arrayBuffer()
    }
    const small = () => post(url, "grok", { input: "GET /index.html", pattern: "^(?<verb>[A-Z]+) (?<path>\\S+)$" })
    await measure("plain request, at rest", plain)
    await measure("small test, at rest", small)

    let attacking = true
    let finished = 0
    const attackers = [...attacks, ...attacks].map(async ([operator, parts]) => {
      while (attacking) {
        await post(url, operator, parts)
        finished++
      }
    })
    const plainP99 = await measure("plain request, 8 attackers", plain)
    await measure("small test, 8 attackers", small)
    attacking = false
    await Promise.all(attackers)
    console.log(`${finished} attacks ended by themselves; plain p99 ${plainP99 < 50 ? "under" : "OVER"} 50 ms`)
    process.exitCode = plainP99 < 50 ? 0 : 1
  } finally {
    child.kill()
  }
}

await (process.argv[2] === "serve" ? serve() : main())

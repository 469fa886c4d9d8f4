import { Schema } from "effect"
import { fileInput } from "../src/nodes/inputs/FileInput.ts"
import { grok } from "../src/nodes/processing/Grok.ts"
import { pinned } from "./measure.ts"
import { nodeContext } from "./nodeContext.ts"

/**
 * The cost of recording the origin of records (`source: true`): reading lines alone, and reading and parsing them with
 * grok. Both sides alternate: `node bench/sources.ts [rounds] [MiB]`.
 */

await pinned(import.meta.filename, [1])

const rounds = Number(process.argv[2] ?? 9)
const mib = Number(process.argv[3] ?? 32)

const line = '10.0.0.1 - frank [10/Oct/2025:13:10:11 +0200] "GET /a/1 HTTP/1.1" 200 2326 "-" "Mozilla/5.0 (X11)"\n'
const text = Buffer.from(line.repeat(Math.ceil((mib * 1024 * 1024) / line.length)))

const context = nodeContext({
  glob: async (path) => [path],
  read: async function* () {
    for (let at = 0; at < text.length; at += 262_144) yield text.subarray(at, at + 262_144)
  }
})

const parse = await grok.start(Schema.decodeUnknownSync(grok.settings)({ patterns: ["%{COMBINEDAPACHELOG}"] }), context)

/** Processor milliseconds. */
const timed = async (source: boolean, parses: boolean): Promise<number> => {
  const settings = Schema.decodeUnknownSync(fileInput.settings)({ path: "a.log", source })
  const instance = await fileInput.start(settings, context)
  const before = process.cpuUsage()
  await instance.run?.(async (_, batch) => {
    if (parses) await parse.process?.(batch, () => {})
  })
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}

const median = (values: ReadonlyArray<number>) => [...values].sort((a, b) => a - b)[values.length >> 1] ?? Number.NaN

for (const [name, parses] of [
  ["lines", false],
  ["lines and grok COMBINEDAPACHELOG", true]
] as const) {
  const ratios: Array<number> = []
  for (let round = 0; round < rounds; round++) {
    const plain = await timed(false, parses)
    ratios.push((await timed(true, parses)) / plain)
  }
  console.log(`${name}: source: true takes ${median(ratios).toFixed(2)} x the processor time`)
}

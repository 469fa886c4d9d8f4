import { Schema } from "effect"
import { catalogue } from "../src/nodes/Catalogue.ts"
import type { Event, NodeContext } from "../src/nodes/Node.ts"
import { pinned } from "./measure.ts"
import { cases } from "./nodeCases.ts"
import { nodeContext } from "./nodeContext.ts"

/**
 * Nodes of stream flowlines on batches of 1000 records, each compared with a plain loop that produces the same records.
 * Both alternate, and their results are compared first: `node bench/nodes.ts [rounds] [batches] [part of a name]`.
 */

await pinned(import.meta.filename, [1])

const rounds = Number(process.argv[2] ?? 9)
const batches = Number(process.argv[3] ?? 60)
const only = process.argv[4] ?? ""
const batchRecords = 1000
/** Minimum processor time in milliseconds of each side of a round. */
const leastMillis = 20

const context = (files: Readonly<Record<string, Uint8Array>> = {}): NodeContext =>
  nodeContext({
    glob: async (path) => [path],
    read: async function* (path) {
      yield files[path]!
    }
  })

const sorted = (event: Event) => JSON.stringify(Object.entries(event).sort(([a], [b]) => (a < b ? -1 : 1)))

const median = (values: ReadonlyArray<number>) => [...values].sort((a, b) => a - b)[values.length >> 1] ?? Number.NaN

/** Processor time in milliseconds, which excludes that of other programs. */
const used = () => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

console.log("node | records/s | by hand | ratio")
for (const { name, type, settings, files, record, byHand } of cases.filter(({ name }) => name.includes(only))) {
  const node = catalogue.get(type)
  if (node === undefined) throw new Error(type)
  const input = Array.from({ length: batches }, (_, batch) =>
    Array.from({ length: batchRecords }, (_, at) => record(batch * batchRecords + at))
  )
  const instance = await node.start(Schema.decodeUnknownSync(node.settings)(settings), context(files))
  let made: Array<Event> = []
  const emit = (stream: string, events: ReadonlyArray<Event>) => {
    if (stream === "*") made.push(...events)
    else if (events.length > 0) throw new Error(`${name} failed: ${JSON.stringify(events[0])}`)
  }
  await instance.process?.(input[0]!, emit)
  const wanted = input[0]!.map(byHand).filter((event) => event !== undefined)
  const differs = made.findIndex((event, at) => sorted(event) !== sorted(wanted[at] ?? {}))
  if (made.length !== wanted.length || differs !== -1) {
    throw new Error(`${name} differs: ${sorted(made[differs] ?? {})} ${sorted(wanted[differs] ?? {})}`)
  }
  let count = 0
  const ours: Array<number> = []
  const hand: Array<number> = []
  const throughNode = async () => {
    const before = used()
    for (const batch of input) {
      await instance.process?.(batch, (_, events) => {
        count += events.length
      })
    }
    return used() - before
  }
  const throughLoop = () => {
    const before = used()
    for (const batch of input) {
      const events: Array<Event> = []
      for (const event of batch) {
        const one = byHand(event)
        if (one !== undefined) events.push(one)
      }
      count += events.length
    }
    return used() - before
  }
  // Compiles first. Fast cases are repeated, because short times are mostly noise.
  for (let warm = 0; warm < 3; warm++) throughLoop()
  const repeats = Math.ceil(leastMillis / Math.max(0.01, throughLoop()))
  for (let round = 0; round < rounds; round++) {
    let [own, loop] = [0, 0]
    for (let turn = 0; turn < repeats; turn++) {
      own += await throughNode()
      loop += throughLoop()
    }
    ours.push(own / repeats)
    hand.push(loop / repeats)
    made = []
  }
  const rate = (millis: number) => `${((batches * batchRecords) / millis / 1000).toFixed(2)} M/s`
  const ratio = median(ours.map((millis, at) => hand[at]! / millis))
  console.log(`${name} | ${rate(median(ours))} | ${rate(median(hand))} | ${ratio.toFixed(2)}${count < 0 ? "!" : ""}`)
}

import { type Cost, median } from "./measure.ts"

export const heading =
  "what | who | processor | rate | peak memory | gateway's processor time to this | gateway's rate to this"

/**
 * Runs the sides alternately after a warm-up round, and prints a line for each. The first side is the gateway. A side
 * without measured processor time has none in its line.
 */
export const compareSides = async (
  what: string,
  megabytes: number,
  rounds: number,
  sides: Readonly<Record<string, () => Promise<Cost>>>,
  prepare: () => void = () => {}
): Promise<void> => {
  const costs = new Map<string, Array<Cost>>(Object.keys(sides).map((name) => [name, []]))
  for (let round = -1; round < rounds; round++) {
    const turns = Object.entries(sides)
    for (const [name, side] of round % 2 === 0 ? turns : turns.reverse()) {
      prepare()
      const cost = await side()
      if (round >= 0) costs.get(name)!.push(cost)
    }
  }
  const [own = []] = costs.values()
  for (const [name, all] of costs) {
    const of = (pick: (cost: Cost) => number) => median(all.map(pick))
    const ratio = (pick: (cost: Cost, other: Cost) => number) => median(own.map((cost, n) => pick(cost, all[n]!)))
    const cells = [
      `${of(({ cpuSeconds }) => (cpuSeconds * 1000) / megabytes).toFixed(2)} ms/MB`,
      `${of(({ seconds }) => megabytes / seconds).toFixed(0)} MB/s`,
      `${Math.max(...all.map(({ peakMiB }) => peakMiB)).toFixed(0)} MiB`,
      ratio((cost, other) => cost.cpuSeconds / other.cpuSeconds).toFixed(2),
      ratio((cost, other) => other.seconds / cost.seconds).toFixed(2)
    ]
    console.log([what, name, ...cells.map((cell) => (cell.startsWith("NaN") ? "" : cell))].join(" | "))
  }
}

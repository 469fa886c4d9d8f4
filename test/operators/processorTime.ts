import { processorMillis } from "../../src/languages/Guard.ts"

/** The kernel may count in steps of 4 ms, so smaller values mean little. */
const enoughMillis = 24

/** Processor milliseconds of a run, over as many runs as a reliable value needs. */
export const millisOf = (work: () => unknown): number => {
  const start = processorMillis()
  let used = 0
  for (let runs = 1; ; runs++) {
    work()
    used = processorMillis() - start
    if (used >= enoughMillis) return used / runs
  }
}

/** Whether a run takes less than so many milliseconds. The first of three may include compilation and other work. */
export const isQuick = (work: () => unknown, millis: number): boolean => {
  for (let tries = 0; tries < 3; tries++) {
    const start = performance.now()
    work()
    if (performance.now() - start < millis) return true
  }
  return millisOf(work) < millis
}

/** What the plainest quadratic search costs on this machine: less is no matter. */
export const quadraticMillis = (length: number): number => {
  const line = "a".repeat(length)
  return millisOf(() => /a+b/.exec(line))
}

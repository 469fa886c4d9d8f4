/** Milliseconds of processor of this thread: what other threads and processes take does not count. */
export const processorMillis = (): number => {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

/** Milliseconds of processor of the quickest of `runs`, or of the first that takes less than `enough`. */
export const leastTime = (work: () => unknown, runs: number, enough = 0): number => {
  let least = Number.POSITIVE_INFINITY
  for (let run = 0; run < runs && least >= enough; run++) {
    const start = processorMillis()
    work()
    least = Math.min(least, processorMillis() - start)
  }
  return least
}

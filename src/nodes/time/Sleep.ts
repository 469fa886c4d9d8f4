/** The longest time of a timer in milliseconds: a timer with a longer time fires at once. */
const longest = 2 ** 31 - 1

/** Waits for the time, or until the run ends. */
export const sleep = (millis: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) return resolve()
    let left = millis
    let timer: NodeJS.Timeout | undefined
    const done = () => {
      clearTimeout(timer)
      signal.removeEventListener("abort", done)
      resolve()
    }
    const wait = () => {
      const part = Math.min(left, longest)
      left -= part
      timer = setTimeout(left > 0 ? wait : done, part)
    }
    wait()
    signal.addEventListener("abort", done, { once: true })
  })

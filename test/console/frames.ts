import type { Locator, Page } from "playwright-core"

/** Rows that are more than a list is scrolled through: a list of many more may take no longer. */
export const few = 500

/** How many times as long a frame of many rows may take: what grows with the rows takes twenty times as long. */
export const mostTimes = 3

/**
 * Scrolls a list by its wheel, a step for each frame, and gives the milliseconds that the processor has taken for one, in
 * the median: scripts, styles and layout of the page's thread, in which other work on the machine does not count. How fast
 * the machine is does count, so that two of these are compared, and none with a time.
 */
export const frameTime = async (page: Page, list: Locator, step: number): Promise<number> => {
  const session = await page.context().newCDPSession(page)
  await session.send("Performance.enable", { timeDomain: "threadTicks" })
  const spent = async () => {
    const { metrics } = await session.send("Performance.getMetrics")
    const counted = ["ScriptDuration", "LayoutDuration", "RecalcStyleDuration"]
    return metrics.reduce((sum, { name, value }) => (counted.includes(name) ? sum + 1000 * value : sum), 0)
  }
  await list.hover()
  const times: Array<number> = []
  for (let frame = 0; frame < 120; frame++) {
    const start = await spent()
    await page.mouse.wheel(0, step)
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))))
    times.push((await spent()) - start)
  }
  return times.sort((one, other) => one - other)[60]!
}

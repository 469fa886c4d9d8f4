import type { Locator, Page } from "playwright-core"

/** Number of rows of a short list, more than the test scrolls through. */
export const few = 500

/** How many times as long a frame of 10,000 rows may take. Work that grows with the rows takes twenty times as long. */
export const mostTimes = 3

/**
 * Scrolls a list by its wheel, one step per frame, and returns the median of the frames' processor milliseconds: scripts,
 * styles and layout of the page's thread, without other work on the machine. The machine's speed counts, so compare two
 * of these, and none with a time.
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

import { Effect } from "effect"
import { type Browser, chromium } from "playwright-core"
import { bundleConsole } from "../scripts/bundle-console.ts"
import { packagePath } from "../src/drivers/Package.ts"
import { startBundled } from "../src/drivers/Programs.ts"
import { site } from "../test/support/process-gateway.ts"

// The time from opening the address to the first key that the console's pattern editor accepts, in a browser with an
// empty cache, through a gateway: `node bench/console.ts`. The profiles slow down network and processor.

const times = Number(process.env["BENCH_TIMES"] ?? 7)

interface Profile {
  readonly name: string
  /** Bits per second. */
  readonly bits: number
  /** Milliseconds of a round trip to the gateway, added to each request. */
  readonly latency: number
  /** Slowdown of the processor relative to this machine. */
  readonly processor: number
}

const profiles: ReadonlyArray<Profile> = [
  { name: "as it is", bits: 0, latency: 0, processor: 1 },
  { name: "10 Mbit/s, 40 ms, processor 4 times slower", bits: 10e6, latency: 40, processor: 4 },
  {
    name: "1.6 Mbit/s, 150 ms, processor 4 times slower (Lighthouse's slow 4G)",
    bits: 1.6e6,
    latency: 150,
    processor: 4
  }
]

interface Noted {
  key?: number
  shifts: number
  shown?: number
  whole?: number
}

declare global {
  /** The measurements of the page so far. */
  var firstUse: Noted
}

/** Runs in the page before its scripts: focuses the pattern editor as soon as it exists. */
const note = () => {
  const noted: Noted = { shifts: 0 }
  globalThis.firstUse = noted
  addEventListener(
    "input",
    ({ timeStamp }) => {
      noted.key ??= timeStamp
    },
    true
  )
  const see = (type: "layout-shift" | "paint", take: (entry: PerformanceEntry) => void) =>
    new PerformanceObserver((list) => list.getEntries().forEach(take)).observe({ type, buffered: true })
  see("layout-shift", (entry) => {
    const { value, hadRecentInput } = entry as LayoutShift
    if (!hadRecentInput) noted.shifts += value
  })
  see("paint", ({ name, startTime }) => {
    if (name === "first-contentful-paint") noted.shown = startTime
  })
  const look = () => {
    if (document.activeElement === document.body) {
      const roots = [document, ...[...document.querySelectorAll("div")].flatMap(({ shadowRoot }) => shadowRoot ?? [])]
      const editors = roots.flatMap((root) => [
        ...root.querySelectorAll<HTMLElement>("[aria-label^='Grok patterns. ']")
      ])
      editors[0]?.focus()
    }
    if (document.querySelector("[role=grid] [role=row]") === null) requestAnimationFrame(look)
    else noted.whole = performance.now()
  }
  requestAnimationFrame(look)
}

const visit = async (browser: Browser, url: string, { bits, latency, processor }: Profile): Promise<Noted> => {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } })
  const page = await context.newPage()
  const session = await context.newCDPSession(page)
  await session.send("Network.enable")
  const bytes = bits === 0 ? -1 : bits / 8
  await session.send("Network.emulateNetworkConditions", {
    offline: false,
    latency,
    downloadThroughput: bytes,
    uploadThroughput: bytes
  })
  await session.send("Emulation.setCPUThrottlingRate", { rate: processor })
  await page.addInitScript(note)
  await page.goto(url, { waitUntil: "commit" })
  // A user who types from the beginning.
  const typing = setInterval(() => void page.keyboard.press("x").catch(() => {}), 40)
  await page.waitForFunction(() => globalThis.firstUse.key !== undefined)
  clearInterval(typing)
  await page.waitForFunction(() => globalThis.firstUse.whole !== undefined)
  const noted = await page.evaluate(() => globalThis.firstUse)
  await context.close()
  return noted
}

const middle = (values: ReadonlyArray<number | undefined>): number =>
  [...values].map((value) => value ?? Number.NaN).sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN

startBundled()
await bundleConsole(packagePath("packages/console/dist"))
await Effect.runPromise(
  Effect.scoped(
    Effect.gen(function* () {
      const place = yield* site({ embedded: true })
      yield* Effect.promise(async () => {
        const { url } = await place.start()
        const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox"] })
        try {
          console.log(`medians of ${times} | first picture, ms | first key, ms | first results, ms | layout shift`)
          for (const profile of profiles) {
            const all: Array<Noted> = []
            for (let time = 0; time < times; time++) all.push(await visit(browser, `${url}/`, profile))
            const figures = [all.map(({ shown }) => shown), all.map(({ key }) => key), all.map(({ whole }) => whole)]
            const shift = Math.max(...all.map(({ shifts }) => shifts))
            console.log([profile.name, ...figures.map((one) => Math.round(middle(one))), shift.toFixed(4)].join(" | "))
          }
        } finally {
          await browser.close()
        }
      })
    })
  )
)

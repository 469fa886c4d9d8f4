import { firstDay } from "./clock.ts"
import type { Random, Weighted } from "./random.ts"
import type { Client } from "./visitors.ts"

const site = "https://shop.example.com"
const words = ["lamp", "desk", "chair", "oak+table", "rug", "mirror", "shelf", "caf%C3%A9+table", "sofa", "green+lamp"]
const campaigns = ["newsletter", "spring-sale", "partner", "social"]

/** Files that never change, with their sizes in bytes. */
const assets: ReadonlyArray<readonly [path: string, size: number]> = [
  ["/static/app.3f9c1b.js", 184213],
  ["/static/site.a01d77.css", 38120],
  ["/static/logo.svg", 4310],
  ["/static/fonts/inter.woff2", 98868],
  ["/static/img/hero.jpg", 241907],
  ["/favicon.ico", 5430]
]

/** What one request leaves in the log. */
export interface Answer {
  /** Apache's `%r`, the request line. */
  readonly request: string
  readonly status: number
  /** Undefined where nothing was sent: Apache's `%b` is then `-`. */
  readonly bytes?: number
  readonly referer: string
}
type Request = (random: Random, client: Client, at: number) => Answer
type Habit = Weighted<Request>

/** How often each status is given, relative to the others. */
type Statuses = Readonly<Record<number, number>>

const choose = (random: Random, statuses: Statuses) =>
  random.weighted(Object.entries(statuses).map(([status, weight]) => [weight, Number(status)] as const))

const size = (random: Random, smallest: number, largest: number) =>
  smallest + Math.floor(random.fraction() * random.fraction() * (largest - smallest))

const ownPage = (random: Random) =>
  site + random.pick(["/", "/products", `/products/${random.between(1, 400)}`, `/search?q=${random.pick(words)}`])

/** For a quarter of an hour on the second afternoon, from 14:10, the shop's backend is overloaded. */
const overload = { from: firstDay + 38 * 3600_000 + 600_000, to: firstDay + 38 * 3600_000 + 1500_000 }

const failure = (random: Random, at: number): number | undefined => {
  if (at >= overload.from && at < overload.to && random.chance(0.4)) return 503
  return random.chance(0.006) ? choose(random, { 500: 6, 502: 2, 504: 1 }) : undefined
}

/** A request that the shop's program answers, and so may fail to. `largest` is the largest page in bytes. */
const dynamic =
  (method: string, path: (random: Random) => string, statuses: Statuses, largest = 900): Request =>
  (random, client, at) => {
    const status = failure(random, at) ?? choose(random, statuses)
    const empty = status === 204 || status === 304 || method === "HEAD"
    const referers = [ownPage(random), ownPage(random), "-", "https://search.example.org/"]
    return {
      request: `${method} ${path(random)} ${client.protocol}`,
      status,
      ...(empty ? {} : { bytes: status >= 300 ? size(random, 199, 640) : size(random, 320, largest) }),
      referer: client.browser ? random.skewed(referers) : "-"
    }
  }

const asset: Request = (random, client) => {
  const [path, bytes] = random.skewed(assets)
  const cached = random.chance(0.45)
  return {
    request: `GET ${path} ${client.protocol}`,
    status: cached ? 304 : 200,
    ...(cached ? {} : { bytes }),
    referer: client.browser ? ownPage(random) : "-"
  }
}

const product = (random: Random) =>
  `/products/${random.between(1, 400)}${random.chance(0.2) ? `?ref=${random.pick(campaigns)}` : ""}`
const search = (random: Random) =>
  `/search?q=${random.pick(words)}${random.chance(0.4) ? `&page=${random.between(2, 9)}&sort=price` : ""}`
const order = (random: Random) => `/api/v1/orders/${random.between(100000, 104999)}`

const browsing: Habit = [
  [30, asset],
  [10, dynamic("GET", () => "/", { 200: 9, 304: 1 }, 16000)],
  [18, dynamic("GET", product, { 200: 40, 304: 2, 404: 1 }, 24000)],
  [9, dynamic("GET", search, { 200: 1 }, 19000)],
  [4, dynamic("GET", () => "/cart", { 200: 1 }, 6000)],
  [3, dynamic("POST", () => "/cart/items", { 303: 20, 400: 1 })],
  [2, dynamic("POST", () => "/checkout", { 303: 12, 402: 1 })],
  [3, dynamic("POST", () => "/login", { 302: 6, 401: 1 })],
  [6, dynamic("GET", order, { 200: 20, 404: 1 }, 2400)],
  [1, dynamic("PUT", order, { 200: 6, 409: 1 }, 1200)],
  [1, dynamic("DELETE", order, { 204: 4, 404: 1 })]
]
const crawling: Habit = [
  [2, dynamic("GET", () => "/robots.txt", { 200: 1 }, 340)],
  [12, dynamic("GET", product, { 200: 30, 304: 4, 404: 3 }, 24000)],
  [3, dynamic("HEAD", product, { 200: 1 })]
]
const staffWork: Habit = [
  [5, dynamic("GET", (random) => `/admin/orders?state=open&page=${random.between(1, 12)}`, { 200: 1 }, 18000)],
  [2, dynamic("GET", () => "/admin/stock.csv", { 200: 5, 206: 1 }, 90000)],
  [2, dynamic("POST", order, { 200: 9, 403: 1 }, 1300)]
]
const probing: Habit = [
  [3, dynamic("GET", () => "/wp-login.php", { 404: 1 })],
  [2, dynamic("GET", () => "/.env", { 403: 1 })],
  [2, dynamic("GET", () => "/admin/", { 401: 1 })],
  // A connection that sends no request line in time: Apache logs it with "-" in the place of the request.
  [1, () => ({ request: "-", status: 408, referer: "-" })]
]

/** What each kind of client does. */
export const habits: Record<Client["kind"], Habit> = {
  shopper: browsing,
  crawler: crawling,
  staff: staffWork,
  scanner: probing
}

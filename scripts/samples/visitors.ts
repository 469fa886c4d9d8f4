import type { Random, Weighted } from "./random.ts"

/** Who makes requests to the shop of the access log. */
export interface Client {
  readonly kind: "shopper" | "crawler" | "staff" | "scanner"
  /** Apache's `%h`: an IPv4 or IPv6 address, or a name where the reverse look-up gave one. */
  readonly host: string
  /** Apache's `%u`, for those who log in with HTTP authentication. */
  readonly user?: string
  readonly agent: string
  readonly browser: boolean
  readonly protocol: "HTTP/1.0" | "HTTP/1.1" | "HTTP/2.0"
}

const browsers = [
  "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/134.0.0.0 Safari/537.36",
  "Mozilla/5.0 (iPhone; CPU iPhone OS 18_3 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.3 Mobile/15E148 Safari/604.1",
  "Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/134.0.0.0 Mobile Safari/537.36",
  "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.3 Safari/605.1.15",
  "Mozilla/5.0 (X11; Linux x86_64; rv:136.0) Gecko/20100101 Firefox/136.0",
  "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:128.0) Gecko/20100101 Firefox/128.0"
]
const crawlers = [
  "Mozilla/5.0 (compatible; ExampleBot/2.1; +https://bot.example.net/about)",
  "PriceCrawler/0.9 (+https://prices.example.org/)"
]
const scanners = ["curl/8.12.1", "python-requests/2.32.3", "-"]
const staff = ["alice", "bob", "carol", "dave", "erin"]

const publicAddress = (random: Random) =>
  random.chance(0.12)
    ? `2001:db8:${random.between(1, 65535).toString(16)}::${random.between(1, 65535).toString(16)}`
    : `${random.pick(["192.0.2", "198.51.100", "203.0.113"])}.${random.between(1, 254)}`

/** The clients by kind, each kind with its share of the requests. */
export const visitors = (random: Random): Weighted<ReadonlyArray<Client>> => {
  const shopper = (): Client => ({
    kind: "shopper",
    host: publicAddress(random),
    agent: random.skewed(browsers),
    browser: true,
    protocol: random.chance(0.7) ? "HTTP/2.0" : "HTTP/1.1"
  })
  const crawler = (_: unknown, index: number): Client => ({
    kind: "crawler",
    host: `crawl-${index + 1}.bot.example.net`,
    agent: random.pick(crawlers),
    browser: false,
    protocol: "HTTP/1.1"
  })
  const employee = (user: string): Client => ({
    kind: "staff",
    host: `10.20.${random.between(0, 3)}.${random.between(10, 250)}`,
    user,
    agent: random.pick(browsers),
    browser: true,
    protocol: "HTTP/1.1"
  })
  const scanner = (): Client => ({
    kind: "scanner",
    host: publicAddress(random),
    agent: random.pick(scanners),
    browser: false,
    protocol: random.chance(0.5) ? "HTTP/1.0" : "HTTP/1.1"
  })
  return [
    [88, Array.from({ length: 600 }, shopper)],
    [7, Array.from({ length: 6 }, crawler)],
    [3, staff.map(employee)],
    [2, Array.from({ length: 25 }, scanner)]
  ]
}

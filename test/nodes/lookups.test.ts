import { describe, expect, it } from "vitest"
import type { Event } from "../../src/nodes/Node.ts"
import { enrich } from "../../src/nodes/processing/Enrich.ts"
import { geoip } from "../../src/nodes/processing/GeoIp.ts"
import { BoundedCache } from "../../src/nodes/processing/lookup/BoundedCache.ts"
import { userAgent } from "../../src/nodes/processing/UserAgent.ts"
import { mmdb } from "../support/mmdb.ts"
import { Memory, process } from "./memory.ts"
import { issues, of } from "./one.ts"

const city = {
  country: { iso_code: "FR", names: { en: "France", de: "Frankreich" } },
  subdivisions: [{ iso_code: "BRE", names: { en: "Brittany" } }],
  city: { names: { en: "Rennes", de: "Rennes (de)" } },
  location: { latitude: 48.1, longitude: -1.68, time_zone: "Europe/Paris" }
}
const asn = { autonomous_system_number: 64500, autonomous_system_organization: "Example" }
const places = mmdb([
  ["2.0.0.0/8", city],
  ["2.2.0.0/16", asn],
  [
    "2001:db8::/32",
    { country: { iso_code: "DE" }, big: 12345678901234567890n, raw: Buffer.from("ff", "hex"), yes: true }
  ]
])

const located = async (settings: object, events: ReadonlyArray<Event>, bytes: Buffer = places) => {
  const memory = new Memory({ "g.mmdb": [bytes.subarray(0, 100), bytes.subarray(100)] })
  const streams = await process(geoip, { field: "ip", path: "g.mmdb", ...settings }, [events], memory)
  return { records: streams.get("*") ?? [], errors: streams.get("errors") ?? [] }
}

describe("geoip", () => {
  it("adds where an address is, by the smallest network", async () => {
    const ips = ["2.1.2.3", "2.2.3.4", " 2001:db8::1", "::ffff:2.1.2.3", "3.0.0.1", "nowhere", 5, undefined]
    const { records } = await located(
      { language: "de" },
      ips.map((ip) => ({ ip, geo: { x: 1 } }))
    )
    const rennes = {
      x: 1,
      country_iso_code: "FR",
      country_name: "Frankreich",
      region_iso_code: "BRE",
      region_name: "Brittany",
      city_name: "Rennes (de)",
      timezone: "Europe/Paris",
      location: { lat: 48.1, lon: -1.68 }
    }
    expect(records.map(({ geo }) => geo)).toEqual([
      rennes,
      { x: 1, asn: 64500, as_organization: "Example" },
      { x: 1, country_iso_code: "DE" },
      rennes,
      { x: 1 },
      { x: 1 },
      { x: 1 },
      { x: 1 }
    ])
  })

  it("knows no address of IPv6 in a database of IPv4", async () => {
    const only = mmdb([["32.0.0.0/4", { country: { iso_code: "FR" } }]], 4)
    const { records } = await located({}, [{ ip: "32.1.2.3" }, { ip: "2001:db8::1" }, { ip: "::ffff:32.1.2.3" }], only)
    expect(records.map(({ geo }) => geo)).toEqual([{ country_iso_code: "FR" }, undefined, { country_iso_code: "FR" }])
  })

  it("takes any value of the database, and tells what it does not have", async () => {
    const columns = { "a.b": "big", raw: "raw", yes: "yes", first: "subdivisions.0.iso_code", none: "constructor.name" }
    const { records, errors } = await located(
      { columns, target: "found", on_missing: "errors" },
      ["2001:db8::1", "2.0.0.1", "2.2.0.1", "9.9.9.9", "x"].map((ip) => ({ ip }))
    )
    expect(records.map(({ found }) => found)).toEqual([
      { a: { b: "12345678901234567890" }, raw: "ff", yes: true },
      { first: "BRE" }
    ])
    expect(errors.map(({ error }) => (error as { reason: string }).reason)).toEqual([
      "the database has no 2.2.0.1",
      "the database has no 9.9.9.9",
      "the field ip has no IP address"
    ])
    expect((await located({ on_missing: "drop" }, [{ ip: "9.9.9.9" }])).records).toEqual([])
  })

  it("fails at once with a file that is no database, or only a part of one", async () => {
    const wrong = [Buffer.alloc(0), Buffer.from("network,country\n"), places.subarray(0, 500), places.subarray(-90)]
    for (const bytes of wrong) {
      await expect(located({}, [], bytes)).rejects.toThrow("this is not a database in the format of MaxMind (MMDB)")
    }
    const damaged = Buffer.from(places)
    damaged.fill(0xff, 0, 200)
    await expect(located({}, [{ ip: "2.1.2.3" }], damaged)).rejects.toThrow(/damaged|not a database/)
  })

  it("has one source", () => {
    expect(issues(geoip, { field: "a" })).toEqual([""])
    expect(issues(geoip, { field: "a", path: "a", registry: "b" })).toEqual(["registry"])
    expect(issues(geoip, { field: "", path: "../a", language: "e", reload: "0s" })).toEqual([
      "field",
      "path",
      "language",
      "reload"
    ])
  })
})

describe("user_agent", () => {
  it("tells browser, system and device, bots and programs", async () => {
    const agents = [
      "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.0.0 Safari/537.36",
      "Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.0 Mobile/15E148 Safari/604.1",
      "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)",
      "curl/8.4.0",
      "python-requests/2.31.0"
    ]
    const { records } = await of(
      userAgent,
      { field: "ua", target: "u" },
      agents.map((ua) => ({ ua }))
    )
    expect(records.map(({ u }) => u)).toEqual([
      {
        name: "Chrome",
        version: "120.0.0.0",
        os: { name: "Windows", version: "NT 10.0", full: "Windows 10" },
        device: { type: "desktop" },
        engine: { name: "Blink" }
      },
      {
        name: "Safari",
        version: "17.0",
        os: { name: "iOS", version: "17.0" },
        device: { type: "mobile", vendor: "Apple", model: "iPhone" },
        engine: { name: "WebKit", version: "605.1.15" }
      },
      { name: "Googlebot", version: "2.1", device: { type: "bot", vendor: "Google" } },
      { name: "curl", version: "8.4.0" },
      { name: "python-requests", version: "2.31.0" }
    ])
    const silent = ["-", "", " ", "Mozilla/5.0", "Amazon CloudFront", "text/html", 5, null]
    const { errors } = await of(
      userAgent,
      { field: "ua", on_missing: "errors" },
      silent.map((ua) => ({ ua }))
    )
    expect(errors.length).toBe(silent.length)
  })

  it("names programs by their first product, and crawlers by their own name", async () => {
    const agents: Record<string, readonly [string, string?]> = {
      "docker/20.10.7 go/go1.13.15 git-commit/b0f5bc3 os/linux arch/amd64": ["docker", "20.10.7"],
      "aws-cli/2.9.19 Python/3.9.11 Linux/5.10 exe/x86_64 prompt/off": ["aws-cli", "2.9.19"],
      "Boto3/1.26.0 Python/3.9 Linux/5.10 Botocore/1.29": ["Boto3", "1.26.0"],
      "MyApp/1.0 CFNetwork/1410.0.3 Darwin/22.6.0": ["MyApp", "1.0"],
      "npm/9.5.0 node/v18.14 linux x64": ["npm", "9.5.0"],
      "kubectl/v1.27.3 (linux/amd64) kubernetes/25b4e43": ["kubectl", "v1.27.3"],
      "Apache/2.4.41 (Ubuntu) (internal dummy connection)": ["Apache", "2.4.41"],
      "Debian APT-HTTP/1.3 (2.2.4)": ["Debian APT-HTTP", "1.3"],
      "node-fetch/1.0 (+https://github.com/bitinn/node-fetch)": ["node-fetch", "1.0"],
      "LinkedInBot/1.0 (compatible; Mozilla/5.0; Apache-HttpClient +http://www.linkedin.com)": ["LinkedInBot", "1.0"],
      "Mozilla/5.0 (compatible; AhrefsBot/7.0; +http://ahrefs.com/robot/)": ["AhrefsBot", "7.0"],
      "Mozilla/5.0 (compatible; SemrushBot/7~bl; +http://www.semrush.com/bot.html)": ["SemrushBot", "7~bl"],
      "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; AhrefsSiteAudit/6.1; +http://a) Chrome/9.0": [
        "AhrefsSiteAudit",
        "6.1"
      ],
      "Mozilla/5.0 zgrab/0.x": ["zgrab", "0.x"],
      "Mozilla/5.0 (X11; Linux x86_64; rv:102.0) Gecko/20100101 Thunderbird/102.4.1": ["Thunderbird", "102.4.1"],
      "Mozilla/5.0 (compatible; +http://a.example/1) x": ["Mozilla", "5.0"],
      "Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm) Chrome/112.0.0.0": [
        "BingCrawler",
        "2.0"
      ],
      "Mozilla/4.0 (compatible; MSIE 6.0; Windows NT 5.1; SV1)": ["Internet Explorer", "6.0"],
      "Opera/9.80 (X11; Linux x86_64; U; en) Presto/2.12.423 Version/12.16": ["Opera", "12.16"],
      "Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)": ["SlackBot", "1.0"],
      "facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)": ["FacebookExternalHit"],
      "Dalvik/2.1.0 (Linux; U; Android 11; Pixel 4)": ["Android Browser"]
    }
    const texts = Object.keys(agents)
    const { records } = await of(
      userAgent,
      { field: "ua" },
      texts.map((ua) => ({ ua }))
    )
    const found = records.map((record) => record["user_agent"] as { name?: string; version?: string })
    expect(found.map(({ name, version }) => [name, version])).toEqual(
      texts.map((text) => [...agents[text]!, undefined].slice(0, 2))
    )
  })

  it("tells robots, televisions and workstations from the telephones and tablets that they claim to be", async () => {
    const android = "Mozilla/5.0 (Linux; Android 9; "
    const webKit = "AppleWebKit/537.36 (KHTML, like Gecko)"
    const chrome = `${webKit} Chrome/90.0.1.2 Safari/537.36`
    const agents: Record<string, readonly [type: string, name?: string, version?: string]> = {
      [`Mozilla/5.0 (Linux; Android 5.0) ${webKit} Mobile Safari/537.36 (compatible; Bytespider; spider-x@a.example)`]:
        ["bot", "Bytespider"],
      "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_5) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/13.1.1 Safari/605.1.15 (Applebot/0.1; +http://a.example/)":
        ["bot", "Applebot", "0.1"],
      "Mozilla/5.0 (compatible; PetalBot;+https://a.example/petalbot)": ["bot", "PetalBot"],
      "Mozilla/5.0 (compatible; AhrefsBot/7.0; +http://a.example/robot/)": ["bot", "AhrefsBot", "7.0"],
      "Mozilla/5.0 (compatible; UptimeRobot/2.0; http://a.example/)": ["bot", "UptimeRobot", "2.0"],
      "Mozilla/5.0 (compatible; heritrix/3.2.0 +http://a.example)": ["bot", "heritrix", "3.2.0"],
      "AdsBot-Google (+http://a.example/adsbot.html)": ["bot", "AdsBot-Google"],
      [`${android}CUBOT X50) ${webKit} Chrome/90.0.1.2 Mobile Safari/537.36`]: ["mobile", "Chrome", "90.0.1.2"],
      [`Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) ${chrome}`]: ["desktop", "Chrome", "90.0.1.2"],
      "Mozilla/5.0 (X11; FreeBSD amd64; rv:109.0) Gecko/20100101 Firefox/118.0": ["desktop", "Firefox", "118.0"],
      [`${android}BRAVIA 4K UR2 Build/PTT1) ${chrome}`]: ["tv", "Chrome", "90.0.1.2"],
      [`${android}AFTMM Build/PS7285) ${webKit} Silk/80.3.16 like Chrome/80.0.1 Safari/537.36`]: [
        "tv",
        "Amazon Silk",
        "80.3.16"
      ],
      [`${android}SM-T870) ${chrome}`]: ["tablet", "Chrome", "90.0.1.2"],
      "AppleTV11,1/11.1": ["tv"],
      // Android's web view has a version of its own.
      [`${android}RMX1911) ${webKit} Version/4.0 Chrome/78.0 UCBrowser/13.4.0.1306 Mobile Safari/537.36`]: [
        "mobile",
        "UC Browser",
        "13.4.0.1306"
      ],
      [`${android}SM-G950F; wv) ${webKit} Version/4.0 SamsungBrowser/10.1 Chrome/71.0 Mobile Safari/537.36`]: [
        "mobile",
        "Samsung Internet for Android",
        "10.1"
      ],
      "Mozilla/5.0 (BB10; Kbd) AppleWebKit/537.35+ (KHTML, like Gecko) Version/10.3.3 Mobile Safari/537.35+": [
        "mobile",
        "BlackBerry",
        "10.3.3"
      ]
    }
    const texts = Object.keys(agents)
    const { records } = await of(
      userAgent,
      { field: "ua" },
      texts.map((ua) => ({ ua }))
    )
    const found = records.map(
      (record) => record["user_agent"] as { name?: string; version?: string; device?: { type?: string } } | undefined
    )
    expect(found.map((agent) => [agent?.device?.type, agent?.name, agent?.version])).toEqual(
      texts.map((text) => [...agents[text]!, undefined, undefined].slice(0, 3))
    )
  })

  it("looks at a bounded part of a text", async () => {
    const parts = ["Mozilla/5.0 (", "android ", "; ", "1.", "mac os x ", "version/ ", "(", " ", "a/1 "]
    const long = parts.map((part) => ({ ua: part.repeat(2_000_000 / part.length) }))
    const { records } = await of(userAgent, { field: "ua" }, long)
    expect(records.length).toBe(parts.length)
  })
})

describe("enrich", () => {
  it("fails at once with a key or a column that the table lacks, and says which may be meant", async () => {
    const table = { "t.csv": "status,text\n200,OK\n", "t.ndjson": '{"a":1}\n{"a":2,"b":3}\n', "e.csv": "a,b\n" }
    const enriched = (settings: object) =>
      process(enrich, { field: "x", ...settings }, [[{ x: 200 }]], new Memory(table))
    await expect(enriched({ path: "t.csv", key: "sttus" })).rejects.toThrow(
      'There is no "sttus" among the table\'s columns; did you mean "status"?'
    )
    await expect(enriched({ path: "t.csv", key: "status", columns: ["text", "colour"] })).rejects.toThrow(
      'There is no "colour" among the table\'s columns: there is status, text'
    )
    await expect(enriched({ path: "t.ndjson", key: "c" })).rejects.toThrow('no "c" among')
    expect((await enriched({ path: "t.ndjson", key: "b" })).get("*")).toEqual([{ x: 200 }])
    expect((await enriched({ path: "e.csv", key: "nothing" })).get("*")).toEqual([{ x: 200 }])
  })

  it("takes an index in place of a table, with what an index can", () => {
    const given = { field: "a", key: "b", index: "acme-hosts" }
    expect(issues(enrich, given)).toEqual([])
    expect(issues(enrich, { ...given, path: "t.csv", match: "network", case_insensitive: true })).toEqual([
      "path",
      "match",
      "case_insensitive"
    ])
  })
})

describe("a bounded cache", () => {
  it("forgets what was not used for longest, and never has more than its bytes", () => {
    const cache = new BoundedCache<string>(2000)
    for (let at = 0; at < 1000; at++) {
      cache.set(`key${at}`, "x".repeat(at % 50))
      expect(cache.get("key0")?.value).toBe("")
      expect(cache.bytes).toBeLessThanOrEqual(2000)
    }
    expect(cache.get("key1")).toBeUndefined()
    expect(cache.get("key999")?.value).toBe("x".repeat(49))
    cache.set("key999", "y".repeat(600))
    expect(cache.get("key999")).toBeUndefined()
    const brief = new BoundedCache<string>(2000, -1)
    brief.set("a", "b")
    expect(brief.get("a")).toBeUndefined()
  })
})

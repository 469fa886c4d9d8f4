import bowser from "bowser"
import { Reader } from "mmdb-lib"
import type { Event } from "../src/nodes/Node.ts"
import { mmdb } from "../test/support/mmdb.ts"
import type { Case } from "./shapingCases.ts"

const hosts = Array.from({ length: 10_000 }, (_, at) => ({
  host: `h${at}`,
  owner: `team ${at % 50}`,
  site: `s${at % 9}`
}))
const table = `host,owner,site\n${hosts.map(({ host, owner, site }) => `${host},${owner},${site}\n`).join("")}`

const byHost = () => {
  const rows = new Map(hosts.map(({ host, ...row }) => [host, row]))
  return (event: Event) => ({ ...event, ...rows.get(String(event["host"])) })
}

const places = mmdb(
  Array.from({ length: 256 }, (_, at) => [
    `10.${at}.0.0/16`,
    {
      country: { iso_code: `C${at}`, names: { en: `Country ${at}` } },
      location: { latitude: at / 2 + 0.25, longitude: 0.5 }
    }
  ])
)

interface Place {
  readonly country: { readonly iso_code: string; readonly names: { readonly en: string } }
  readonly location: { readonly latitude: number; readonly longitude: number }
}

const byAddress = () => {
  const reader = new Reader<never>(places)
  const known = new Map<string, unknown>()
  return (event: Event) => {
    const ip = String(event["clientip"])
    let geo = known.get(ip)
    if (geo === undefined) {
      const { country, location } = reader.get(ip) as unknown as Place
      geo = {
        country_iso_code: country.iso_code,
        country_name: country.names.en,
        location: { lat: location.latitude, lon: location.longitude }
      }
      known.set(ip, geo)
    }
    return { ...event, geo }
  }
}

const agents = Array.from(
  { length: 500 },
  (_, at) =>
    `Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/${100 + (at % 40)}.0.${at}.0 Safari/537.36`
)

const byAgent = () => {
  const known = new Map<string, unknown>()
  return (event: Event) => {
    const agent = String(event["agent"])
    let found = known.get(agent)
    if (found === undefined) {
      const { browser, os, platform, engine } = bowser.parse(agent)
      found = {
        name: browser.name,
        version: browser.version,
        os: { name: os.name, version: os.version, full: `${os.name} ${os.versionName}` },
        device: { type: platform.type },
        engine: { name: engine.name }
      }
      known.set(agent, found)
    }
    return { ...event, user_agent: found }
  }
}

/** The lookup nodes. */
export const lookupCases: ReadonlyArray<Case> = [
  {
    name: "enrich, a table of 10 000 rows",
    type: "enrich",
    settings: { field: "host", path: "t.csv", key: "host" },
    files: { "t.csv": Buffer.from(table) },
    record: (at) => ({ host: `h${(at * 7919) % 10_000}`, at, path: `/a/${at}` }),
    byHand: byHost()
  },
  {
    name: "geoip, 5000 addresses",
    type: "geoip",
    settings: { field: "clientip", path: "g.mmdb" },
    files: { "g.mmdb": places },
    record: (at) => ({ clientip: `10.${at % 250}.${at % 20}.1`, at, path: `/a/${at}` }),
    byHand: byAddress()
  },
  {
    name: "user_agent, 500 different ones",
    type: "user_agent",
    settings: { field: "agent" },
    record: (at) => ({ agent: agents[at % 500], at, path: `/a/${at}` }),
    byHand: byAgent()
  }
]

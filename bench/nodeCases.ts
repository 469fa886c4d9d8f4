import type { Event } from "../src/nodes/Node.ts"
import { lookupCases } from "./lookupCases.ts"
import { type Case, shapingCases } from "./shapingCases.ts"

const months = new Map("Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(" ").map((name, at) => [name, at]))

const timeOf = (text: string): string => {
  const [day, month, year, hour, minute, second] = [
    text.slice(0, 2),
    months.get(text.slice(3, 6)) ?? 0,
    text.slice(7, 11),
    text.slice(12, 14),
    text.slice(15, 17),
    text.slice(18, 20)
  ]
  const minutes = Number(text.slice(22, 24)) * 60 + Number(text.slice(24, 26))
  const offset = (text[21] === "-" ? -1 : 1) * minutes * 60_000
  const local = Date.UTC(Number(year), month, Number(day), Number(hour), Number(minute), Number(second))
  return new Date(local - offset).toISOString()
}

const access =
  /^(\S+) (\S+) (\S+) \[([^\]]+)\] "(?:(\w+) (\S+)(?: HTTP\/([\d.]+))?|(.*?))" (\d+) (?:(\d+)|-) ("[^"]*") ("[^"]*")/

/** The inputs of the measured nodes. */
export const cases: ReadonlyArray<Case> = [
  {
    name: "kv, 6 pairs, one in quotes",
    type: "kv",
    settings: {},
    record: (at) => ({
      message: `ts=${at} level=info user=u${at % 99} path=/a/${at} took=${at % 500}ms text="a b ${at}"`
    }),
    byHand: (event) => {
      const message = String(event["message"])
      const made: Event = { ...event }
      for (let from = 0; from < message.length; ) {
        const equals = message.indexOf("=", from)
        if (equals === -1) break
        const quoted = message[equals + 1] === '"'
        const begin = quoted ? equals + 2 : equals + 1
        const found = message.indexOf(quoted ? '"' : " ", begin)
        const end = found === -1 ? message.length : found
        made[message.slice(from, equals)] = message.slice(begin, end)
        from = quoted ? end + 2 : end + 1
      }
      return made
    }
  },
  {
    name: "csv, 8 columns, no quotes",
    type: "csv",
    settings: { columns: ["a", "b", "c", "d", "e", "f", "g", "h"], types: { c: "integer", g: "float" } },
    record: (at) => ({ message: `2026-01-02,user${at},${at},GET,/items/${at},200,${at / 4},frank` }),
    byHand: (event) => {
      const [a, b, c, d, e, f, g, h] = String(event["message"]).split(",")
      return { ...event, a, b, c: Number(c), d, e, f, g: Number(g), h }
    }
  },
  {
    name: "csv, 8 columns, two in quotes",
    type: "csv",
    settings: { columns: ["a", "b", "c", "d", "e", "f", "g", "h"] },
    record: (at) => ({ message: `2026-01-02,"user, ${at}",${at},GET,"/items/""${at}""",200,${at / 4},frank` }),
    byHand: (event) => {
      const message = String(event["message"])
      const cells: Array<string> = []
      for (let from = 0; from <= message.length; ) {
        if (message[from] === '"') {
          let end = message.indexOf('"', from + 1)
          while (message[end + 1] === '"') end = message.indexOf('"', end + 2)
          cells.push(message.slice(from + 1, end).replaceAll('""', '"'))
          from = end + 2
        } else {
          const found = message.indexOf(",", from)
          const end = found === -1 ? message.length : found
          cells.push(message.slice(from, end))
          from = end + 1
        }
      }
      const [a, b, c, d, e, f, g, h] = cells
      return { ...event, a, b, c, d, e, f, g, h }
    }
  },
  {
    name: "json, 6 members",
    type: "json",
    settings: {},
    record: (at) => ({
      message: JSON.stringify({
        ts: at,
        level: "info",
        user: `u${at % 99}`,
        path: `/a/${at}`,
        took: at % 500,
        tags: ["a"]
      })
    }),
    byHand: (event) => ({ ...event, ...JSON.parse(String(event["message"])) })
  },
  {
    name: "date, access log's format",
    type: "date",
    settings: { field: "timestamp", formats: ["dd/MMM/yyyy:HH:mm:ss Z"] },
    record: (at) => ({ timestamp: `10/Oct/2025:13:${10 + (at % 50)}:${10 + (at % 49)} +0200`, at }),
    byHand: (event) => ({ ...event, "@timestamp": timeOf(String(event["timestamp"])) })
  },
  {
    name: "date, ISO8601",
    type: "date",
    settings: { field: "timestamp", formats: ["ISO8601"] },
    record: (at) => ({ timestamp: `2025-10-10T13:${10 + (at % 50)}:${10 + (at % 49)}.5+02:00`, at }),
    byHand: (event) => ({ ...event, "@timestamp": new Date(String(event["timestamp"])).toISOString() })
  },
  {
    name: "filter, two conditions",
    type: "filter",
    settings: { where: 'response >= 500 and verb in ["GET", "HEAD"]' },
    record: (at) => ({ response: String(200 + (at % 4) * 100), verb: at % 3 === 0 ? "POST" : "GET", at }),
    byHand: (event) =>
      Number(event["response"]) >= 500 && (event["verb"] === "GET" || event["verb"] === "HEAD") ? event : undefined
  },
  {
    name: "dissect, 5 keys",
    type: "dissect",
    settings: { pattern: '%{ip} %{user} [%{time}] "%{request}" %{status}' },
    record: (at) => ({ message: `10.0.0.${at % 255} u${at} [10/Oct/2025:13:10:11 +0200] "GET /a/${at}" 200` }),
    byHand: (event) => {
      const message = String(event["message"])
      const one = message.indexOf(" ")
      const two = message.indexOf(" [", one + 1)
      const three = message.indexOf('] "', two + 2)
      const four = message.indexOf('" ', three + 3)
      return {
        ...event,
        ip: message.slice(0, one),
        user: message.slice(one + 1, two),
        time: message.slice(two + 2, three),
        request: message.slice(three + 3, four),
        status: message.slice(four + 2)
      }
    }
  },
  {
    name: "grok COMBINEDAPACHELOG",
    type: "grok",
    settings: { patterns: ["%{COMBINEDAPACHELOG}"] },
    record: (at) => ({
      message: `10.0.0.${at % 255} - frank [10/Oct/2025:13:10:11 +0200] "GET /a/${at} HTTP/1.1" 200 ${at} "https://example.com/" "Mozilla/5.0 (X11; Linux x86_64)"`
    }),
    byHand: (event) => {
      const found = access.exec(String(event["message"]))
      if (found === null) return undefined
      const [, clientip, ident, auth, timestamp, verb, request, httpversion, , response, bytes, referrer, agent] = found
      return {
        ...event,
        clientip,
        ident,
        auth,
        timestamp,
        verb,
        request,
        httpversion,
        response,
        bytes,
        referrer,
        agent
      }
    }
  },
  ...shapingCases,
  ...lookupCases
]

/**
 * Grok and dissect compared with hand-written code that builds the same objects: `node bench/operators.ts`. Both sides
 * alternate in one process. A ratio of 1 means as fast as by hand; ratios are steadier than times.
 */
import { Result } from "effect"
import { toRegExpDetails } from "oniguruma-to-es"
import { compile as compileDissect } from "../src/languages/dissect/Dissector.ts"
import { compile as compileFilter } from "../src/languages/grok/GrokFilter.ts"
import { compile as compileGrok } from "../src/languages/grok/GrokMatcher.ts"
import { print } from "../src/languages/grok/regex/Print.ts"
import { pinned } from "./measure.ts"

await pinned(import.meta.filename, [1])

const count = 20_000
const rounds = 15
const warmup = 4

const apache = Array.from(
  { length: count },
  (_, i) =>
    `10.${i % 200}.${i % 99}.7 - ${i % 3 === 0 ? "frank" : "-"} [10/Oct/2025:13:${10 + (i % 50)}:36 +0200] ` +
    `"GET /shop/item${i}.html?ref=${i * 7} HTTP/1.1" 200 ${2000 + (i % 7919)} "https://www.example.com/start/${i % 77}" ` +
    `"Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36"`
)
const syslog = Array.from(
  { length: count },
  (_, i) =>
    `Mar 16 00:${10 + (i % 50)}:25 host${i % 40} postfix/smtpd[${1000 + i}]: connect from mail${i}.example.net[10.0.0.${i % 250}]`
)

type Row = { [key: string]: string }
type Parse = (line: string) => unknown
/** As nodes do it: many lines at a time. */
type ParseAll = (lines: ReadonlyArray<string>) => ReadonlyArray<unknown>

const batchLines = 1000
const batched = (lines: ReadonlyArray<string>): ReadonlyArray<ReadonlyArray<string>> =>
  Array.from({ length: Math.ceil(lines.length / batchLines) }, (_, index) =>
    lines.slice(index * batchLines, (index + 1) * batchLines)
  )
const each =
  (parse: Parse): ParseAll =>
  (lines) =>
    lines.map(parse)

/** The regular expression of a pattern from the translator: with the flag `v` and numbered groups. */
const translatedOf = (pattern: string): RegExp => {
  const { tree } = Result.getOrThrow(compileGrok([pattern], { bank: "legacy" })).expressions[0]!
  const details = toRegExpDetails(print(tree.root, tree.names).source, { flags: "mDSW", target: "ES2025" })
  return new RegExp(details.pattern.replace(/\(\?<g\d+>/g, "("), details.flags)
}

/** The same without the flag, as one would write it for ASCII logs. */
const regexOf = (pattern: string): RegExp => {
  const { source, flags } = translatedOf(pattern)
  return new RegExp(
    source.replaceAll("[\\p{AHex}]", "[0-9A-Fa-f]").replaceAll("\\p{AHex}", "[0-9A-Fa-f]"),
    flags.replace("v", "")
  )
}

const byHand =
  (regex: RegExp): Parse =>
  (line) => {
    const m = regex.exec(line)
    if (m === null) return undefined
    const [clientip, ident, auth, timestamp, rawrequest] = [m[1], m[2], m[3], m[4], m[8]]
    const [response, bytes, referrer, agent] = [m[9], m[10], m[11], m[12]]
    if (rawrequest !== undefined)
      return { clientip, ident, auth, timestamp, rawrequest, response, bytes, referrer, agent }
    const [verb, request, httpversion] = [m[5], m[6], m[7]]
    return { clientip, ident, auth, timestamp, verb, request, httpversion, response, bytes, referrer, agent }
  }

/** Code by somebody who knows the log and accepts any text for a field. */
const shortApache = byHand(
  /^(\S+) (\S+) (\S+) \[([^\]]+)\] "(?:(\w+) (\S+)(?: HTTP\/(\d+(?:\.\d+)?))?|([^"]*))" (\d+|-) (\d+|-) ("[^"]*") ("[^"]*")/
)
const apacheByHand = byHand(regexOf("%{COMBINEDAPACHELOG}"))

const syslogRegex = regexOf("%{SYSLOGLINE}")
const syslogByHand: Parse = (line) => {
  const m = syslogRegex.exec(line)
  if (m === null) return undefined
  const [timestamp, timestamp8601, facility, priority] = [m[1], m[2], m[3], m[4]]
  const [logsource, program, pid, message] = [m[5], m[6], m[7], m[8]]
  if (timestamp8601 !== undefined || facility !== undefined)
    return { timestamp, timestamp8601, facility, priority, logsource, program, pid, message }
  return { timestamp, logsource, program, pid, message }
}

const flatDissect = (names: ReadonlyArray<string>, literals: ReadonlyArray<string>, leading: string): Parse => {
  return (line) => {
    if (!line.startsWith(leading)) return undefined
    const fields: Row = {}
    let position = leading.length
    for (let index = 0; index < names.length; index++) {
      const literal = literals[index]!
      const end = literal === "" ? line.length : line.indexOf(literal, position)
      if (end < 0) return undefined
      fields[names[index]!] = line.slice(position, end)
      position = end + literal.length
    }
    return fields
  }
}

const median = (values: ReadonlyArray<number>): number => values.toSorted((a, b) => a - b)[values.length >> 1]!

let sink: unknown
const time = (parse: ParseAll, batches: ReadonlyArray<ReadonlyArray<string>>): number => {
  const start = performance.now()
  for (const lines of batches) sink = parse(lines).at(-1)
  return performance.now() - start
}

const compare = (what: string, lines: ReadonlyArray<string>, hand: Parse, ours: ParseAll, target: number): void => {
  const batches = batched(lines)
  const parseByHand = each(hand)
  const byHand: Array<number> = []
  const own: Array<number> = []
  for (let round = -warmup; round < rounds; round++) {
    const order = round % 2 === 0 ? [parseByHand, ours] : [ours, parseByHand]
    const times = order.map((parse) => time(parse, batches))
    if (round < 0) continue
    byHand.push(times[order.indexOf(parseByHand)]!)
    own.push(times[order.indexOf(ours)]!)
  }
  const ratio = median(byHand) / median(own)
  const rate = Math.round(lines.length / median(own))
  console.log(`${what.padEnd(40)} | ${ratio.toFixed(2)} | ${target.toFixed(2)}   (${rate} k lines/s)`)
}

const grok = (...patterns: ReadonlyArray<string>): ParseAll =>
  Result.getOrThrow(compileGrok(patterns, { bank: "legacy" })).matchAll
const nine = '%{client} %{ident} %{auth} [%{time}] "%{request}" %{status} %{bytes} "%{referrer}" "%{agent}"'
const nineNames = ["client", "ident", "auth", "time", "request", "status", "bytes", "referrer", "agent"]
const nineLiterals = [" ", " ", " [", '] "', '" ', " ", ' "', '" "', '"']

console.log(`${"what".padEnd(40)} | ratio | target`)
compare("grok COMBINEDAPACHELOG", apache, apacheByHand, grok("%{COMBINEDAPACHELOG}"), 0.85)
compare(
  "the same against it with the flag v",
  apache,
  byHand(translatedOf("%{COMBINEDAPACHELOG}")),
  grok("%{COMBINEDAPACHELOG}"),
  0.85
)
compare("the same against a looser regex", apache, shortApache, grok("%{COMBINEDAPACHELOG}"), 0.85)
compare("grok SYSLOGLINE", syslog, syslogByHand, grok("%{SYSLOGLINE}"), 0.85)
const misses = syslog.map((line, i) =>
  i % 2 === 0 ? line : `at com.example.Main.run(Main.java:${i}) [worker-${i % 9}]`
)
compare("grok COMBINEDAPACHELOG, all misses", misses, apacheByHand, grok("%{COMBINEDAPACHELOG}"), 0.85)
// 45 % of each log and 10 % noise: the first pattern misses every second line.
const mixed = apache.map((line, i) => (i % 20 < 9 ? line : i % 20 < 18 ? syslog[i]! : `at com.example.Main.run(${i})`))
const eitherByHand: Parse = (line) => apacheByHand(line) ?? syslogByHand(line)
compare("grok, both on a mixed log", mixed, eitherByHand, grok("%{COMBINEDAPACHELOG}", "%{SYSLOGLINE}"), 0.85)
const filter = Result.getOrThrow(compileFilter({ match: { message: "%{COMBINEDAPACHELOG}" } }))
compare(
  "grok filter on events, COMBINEDAPACHELOG",
  apache,
  apacheByHand,
  (messages) => filter.applyAll(messages.map((message) => ({ message }))),
  0.5
)
const dissect = Result.getOrThrow(compileDissect(nine))
compare("dissect, 9 keys", apache, flatDissect(nineNames, nineLiterals, ""), each(dissect.match), 0.8)
if (sink === undefined) throw new Error("the last line did not match")

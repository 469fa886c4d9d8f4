import { Result, Schema } from "effect"
import { describe, expect, it } from "vitest"
import { guard } from "../../src/drivers/threads/TimeLimit.ts"
import { mayRunAway } from "../../src/languages/grok/GrokFilter.ts"
import { compile } from "../../src/languages/grok/GrokMatcher.ts"
import type { Event } from "../../src/nodes/Node.ts"
import { grok } from "../../src/nodes/processing/Grok.ts"
import { Memory } from "../nodes/memory.ts"
import { isQuick, quadraticMillis } from "./processorTime.ts"

const risky = (pattern: string) => {
  const { expressions } = Result.getOrThrow(compile([pattern], { bank: "legacy" }))
  return mayRunAway(expressions[0]!.tree.root)
}

describe("what may run away", () => {
  it.each([
    "(a+)+",
    "^(a|aa)+$",
    "(.*a){30}",
    "(?:%{WORD} ?)+$",
    "(a?){50}",
    ".*a.*b.*c.*d",
    "(?:(?:ab)*c)*",
    "%{SYSLOG5424LINE}",
    "x %{EXIM:e}"
  ])("%s does", (pattern) => expect(risky(pattern)).toBe(true))
  it.each([
    "%{COMBINEDAPACHELOG}",
    "%{SYSLOGLINE}",
    "^%{IP:a} (?:\\d{1,3}\\.){3} %{GREEDYDATA:b}$",
    "(?:ab)+",
    "[a-z]+ \\S+ (?<x>.*)"
  ])("%s does not", (pattern) => expect(risky(pattern)).toBe(false))
})

describe("built-in patterns", () => {
  const enough = quadraticMillis(16_384)
  const blanks = " ".repeat(60_000)
  const proxied = "127.0.0.1:39759 [09/Dec/2013:12:59:46.633] lb default"
  it.each([
    ["JAVASTACKTRACEPART", `\tat${blanks}x`],
    ["POSTGRESQL", `03-12-2013 14:17:01.234 CET${blanks}x`],
    ["RPROCESSING", `\nProcessing by${blanks}x`],
    ["HAPROXYHTTPBASE", `${proxied}${"/".repeat(60_000)}x`],
    ["HAPROXYHTTPBASE", `${proxied}/s 135/0/1/19/+156 200 1015 ${blanks}x`],
    ["EXIM_REMOTE_HOST", "H=".repeat(30_000)],
    ["RUBY_LOGGER", `D, [2014-01-01T02:03:04.567890 #1234] DEBUG -- ${blanks}x`],
    ["SHOREWALL", `May 28 17:23:25 h kernel: Shorewall:a:DROP:IN=eth0 OUT=${"a".repeat(60_000)}`]
  ])("%s is far from the square of a long line", (name, line) => {
    for (const set of ["legacy", "ecs-v1"] as const) {
      const grok = Result.getOrThrow(compile([`%{${name}}`], { bank: set }))
      expect(grok.match(line)).toBeUndefined()
      expect(isQuick(() => grok.match(line), enough)).toBe(true)
    }
  })
})

describe("the grok node in a run", () => {
  const run = async (patterns: ReadonlyArray<string>, messages: ReadonlyArray<string>) => {
    const context = { ...new Memory().nodeContext("node"), guard }
    const settings = Schema.decodeUnknownSync(grok.settings)({ patterns, timeout_millis: 100 })
    const instance = await grok.start(settings, context)
    const streams: Record<string, Array<Event>> = { "*": [], errors: [] }
    const events = messages.map((message) => ({ message }))
    await instance.process?.(events, (stream, batch) => void streams[stream]?.push(...batch))
    return streams
  }

  it("fails the texts that take too long, and parses the others", async () => {
    const bomb = `${"a".repeat(60)}!`
    const late = {
      message: bomb,
      tags: ["_groktimeout"],
      error: { node: "node", reason: "the patterns did not finish within 100 ms" }
    }
    const explanation = {
      pattern: 1,
      matchedUpTo: 0,
      failedAt: "(?<x>(a|aa)+)",
      detail: '(?<x>(a|aa)+) does not match at offset 0: "b"'
    }
    const missed = {
      message: "b",
      tags: ["_grokparsefailure"],
      error: { node: "node", reason: "no pattern matches the field message", explanation }
    }
    expect(await run(["^(?<x>(a|aa)+)$"], ["aa", bomb, "b", "aaa", bomb])).toEqual({
      "*": [
        { message: "aa", x: "aa" },
        { message: "aaa", x: "aaa" }
      ],
      errors: [late, missed, late]
    })
  })

  it("stops the built-in patterns that take the square of a line, too", async () => {
    const line = '[a b="c"]'
    const { "*": parsed, errors } = await run(["%{SYSLOG5424SD:data}"], [line, "[".repeat(60_000)])
    expect(parsed).toEqual([{ message: line, data: line }])
    expect(errors?.map(({ tags }) => tags)).toEqual([["_groktimeout"]])
  })
})

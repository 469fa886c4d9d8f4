import { Result, Schema } from "effect"
import { describe, expect, it } from "vitest"
import { guard } from "../../src/drivers/threads/TimeLimit.ts"
import { mayRunAway } from "../../src/languages/grok/GrokFilter.ts"
import { compile } from "../../src/languages/grok/GrokMatcher.ts"
import type { Event } from "../../src/nodes/Node.ts"
import { grok } from "../../src/nodes/processing/Grok.ts"
import { Memory } from "../nodes/memory.ts"

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
})

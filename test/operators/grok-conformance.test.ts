import { runInThisContext } from "node:vm"
import { Result } from "effect"
import { describe, expect, it } from "vitest"
import { compile as compileFilter, type GrokFilterOptions } from "../../src/languages/grok/GrokFilter.ts"
import { compile } from "../../src/languages/grok/GrokMatcher.ts"
import { flatten, type GrokCase, grokCases } from "./cases.ts"

const cases = (...kinds: ReadonlyArray<GrokCase["kind"]>) => grokCases.filter(({ kind }) => kinds.includes(kind))

/** Without a pattern, a case is about its definitions. */
const compileCase = ({ pattern, patterns, pattern_definitions = {}, dialect }: GrokCase) =>
  compile(pattern === undefined ? Object.keys(pattern_definitions).map((name) => `%{${name}}`) : [pattern], {
    bank: patterns,
    definitions: pattern_definitions,
    dialect: dialect === "elasticsearch" ? dialect : "logstash"
  })

describe("grok conformance", () => {
  it.each(cases("simple"))("$id $pattern", (one) => {
    const compiled = compileCase(one)
    if (Result.isFailure(compiled)) return expect.fail(compiled.failure.message)
    const found = compiled.success.match(one.input!)
    if (one.expected.matched === false) return expect(found).toBeUndefined()
    if (found === undefined) return expect.fail("no match")
    const fields = flatten(found.fields)
    if (one.expected.captures !== undefined) expect(fields).toEqual(one.expected.captures)
    if (one.expected.captures_subset !== undefined) expect(fields).toMatchObject(one.expected.captures_subset)
    expect(found.failures).toEqual([])
  })

  it.each(cases("simple").filter(({ expected }) => expected.logstash_event !== undefined))("$id as an event", (one) => {
    const filter = compileFilter({
      match: { message: one.pattern! },
      pattern_definitions: one.pattern_definitions ?? {},
      ecs_compatibility: one.patterns === "ecs-v1" ? "v1" : "disabled"
    })
    const filtered = Result.getOrThrow(filter).apply({ message: one.input! })
    expect(filtered.event).toEqual(one.expected.logstash_event)
  })

  it.each(cases("filter"))("$id", ({ match, options, event, expected, patterns, pattern_definitions }) => {
    const settings = {
      ...options,
      match: match!,
      pattern_definitions: pattern_definitions ?? {},
      ecs_compatibility: patterns === "legacy" ? "disabled" : "v1"
    } as GrokFilterOptions
    const filtered = Result.getOrThrow(compileFilter(settings)).apply(event!)
    expect(filtered.matched).toBe(expected.matched ?? filtered.matched)
    if (expected.event !== undefined) expect(filtered.event).toEqual(expected.event)
  })

  it.each(cases("timeout"))("$id can be cut off", (one) => {
    const grok = Result.getOrThrow(compileCase(one))
    Object.assign(globalThis, { matchRunaway: () => grok.match(one.input!) })
    const start = performance.now()
    try {
      runInThisContext("matchRunaway()", { timeout: one.timeout_ms ?? 200 })
    } catch (error) {
      expect((error as { code?: string }).code).toBe("ERR_SCRIPT_EXECUTION_TIMEOUT")
    }
    expect(performance.now() - start).toBeLessThan(60_000)
  })

  it.each(cases("compile_error", "compile_ok"))("$id $kind", (one) => {
    const compiled = compileCase(one)
    // What the pattern does not reach is only warned of.
    const warned = Result.isSuccess(compiled) && one.validate === "whole bank" && compiled.success.hints.join()
    const fault = Result.isFailure(compiled) ? compiled.failure.message : warned || ""
    if (one.kind === "compile_ok") return expect(fault).toBe("")
    expect(fault).not.toBe("")
    if (one.expected.error === "circular reference") expect(fault).toContain("circular reference")
  })
})

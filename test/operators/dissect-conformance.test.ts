import { Result } from "effect"
import { describe, expect, it } from "vitest"
import { compile } from "../../src/languages/dissect/Dissector.ts"
import { dissectCases, flatten } from "./cases.ts"

describe("dissect conformance", () => {
  it.each(dissectCases)("$id $pattern", ({ pattern, input, dialect, append_separator, ...expected }) => {
    const separator = append_separator === undefined ? {} : { appendSeparator: append_separator }
    const compiled = compile(pattern, { dialect, ...separator })
    if (expected.fail === "bad_pattern") return expect(Result.isFailure(compiled)).toBe(true)
    if (Result.isFailure(compiled)) return expect(expected.fail, compiled.failure.message).toBe("any")
    const { match, explain } = compiled.success
    const inputs = typeof input === "string" ? [input] : input
    const all = inputs.map((line) => match(line))
    if (expected.fail === "no_match") return expect(all).toEqual(inputs.map(() => undefined))
    if (expected.fail !== undefined)
      return expect(all.every((found) => found === undefined || found.failures.length > 0)).toBe(true)
    const results = all.map((found) => (found === undefined ? "no match" : flatten(found.fields)))
    if (expected.expected !== undefined) expect(results).toEqual(inputs.map(() => flatten(expected.expected!)))
    const list = expected.expected_list?.map((one) => flatten(one))
    if (list?.length === inputs.length) expect(results).toEqual(list)
    else if (list !== undefined) for (const one of results) expect(list).toContainEqual(one)
    if (expected.expected_fields !== undefined)
      for (const one of results) expect(Object.keys(one).sort()).toEqual([...expected.expected_fields].sort())
    for (const [index, line] of inputs.entries())
      expect(explain(line).matched).toBe(all[index] !== undefined && all[index].failures.length === 0)
  })
})

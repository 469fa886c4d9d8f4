import { Result } from "effect"
import { describe, expect, it } from "vitest"
import { compile } from "../../src/services/operators/Dissect.ts"
import { dissectCases, flatten } from "./cases.ts"

describe("dissect conformance", () => {
  it.each(dissectCases)("$id $pattern", ({ pattern, input, dialect, append_separator, ...expected }) => {
    const separator = append_separator === undefined ? {} : { appendSeparator: append_separator }
    const compiled = compile(pattern, { dialect, ...separator })
    if (expected.fail === "bad_pattern") return expect(Result.isFailure(compiled)).toBe(true)
    if (Result.isFailure(compiled)) return expect(expected.fail, compiled.failure.message).toBe("any")
    const found = compiled.success.match(input)
    if (expected.fail === "no_match") return expect(found).toBeUndefined()
    if (expected.fail !== undefined) return expect(found === undefined || found.failures.length > 0).toBe(true)
    if (found === undefined) return expect.fail("no match")
    if (expected.expected !== undefined) expect(flatten(found.fields)).toEqual(flatten(expected.expected))
    if (expected.expected_fields !== undefined)
      expect(Object.keys(flatten(found.fields)).sort()).toEqual([...expected.expected_fields].sort())
    expect(compiled.success.explain(input).matched).toBe(found.failures.length === 0)
  })
})

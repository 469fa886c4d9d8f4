import { Result } from "effect"
import { describe, expect, it } from "vitest"
import { patternLines, type Split, samples } from "../../src/services/operators/Samples.ts"
import { prepare, type TestOptions } from "../../src/services/operators/Tester.ts"

const run = ({ input, split = "lines", ...options }: TestOptions & { input: string; split?: Split }) => {
  const tester = Result.getOrThrow(prepare(options))
  const results = Array.from(samples(input, split), (sample) => tester.examine(sample))
  return { results, hints: tester.hints() }
}

describe("samples", () => {
  it.each([
    [
      "a\nb",
      [
        [1, "a"],
        [2, "b"]
      ]
    ],
    [
      "a\r\n\r\n b \r\n",
      [
        [1, "a"],
        [3, " b "]
      ]
    ],
    ["\n\n\nx", [[4, "x"]]],
    [
      "a\rb\n ",
      [
        [1, "a\rb"],
        [2, " "]
      ]
    ],
    ["", []],
    ["\n", []]
  ])("of %j are its lines that are not empty", (input, expected) => {
    expect([...samples(input, "lines")].map(({ line, text }) => [line, text])).toEqual(expected)
  })
  it("can be the whole input", () => {
    expect([...samples("a\r\nb\n", "none")]).toEqual([{ line: 1, text: "a\r\nb\n" }])
    expect([...samples("", "none")]).toEqual([])
  })
  it("of a pattern text leave out comments", () => {
    expect(patternLines("# x\n\na#\n #b")).toEqual([
      { line: 3, text: "a#" },
      { line: 4, text: " #b" }
    ])
  })
})

describe("the operator test", () => {
  it("tries grok patterns in order", () => {
    const { results, hints } = run({
      operator: "grok",
      input: "189 127.0.0.1\n\nabc\n",
      pattern: "# first\n^%{N:duration:int} %{IPS:client}$\n",
      definitions: "N \\d+\nIPS [\\d.]+"
    })
    expect(results[0]).toMatchObject({
      line: 1,
      input: "189 127.0.0.1",
      matched: true,
      pattern: 1,
      output: { duration: 189, client: "127.0.0.1" },
      captures: [
        { name: "duration", syntax: "N", value: "189", start: 0, end: 3 },
        { name: "client", syntax: "IPS", value: "127.0.0.1", start: 4, end: 13 }
      ]
    })
    expect(results[1]).toMatchObject({
      line: 3,
      matched: false,
      failure: { reason: "no-match", matchedUpTo: 0, failedAt: "%{N:duration:int}" }
    })
    expect(results[1]).not.toHaveProperty("output")
    expect(hints).toEqual([])
  })
  it("takes a value that does not convert as not matched, and shows what there is", () => {
    const { results } = run({ operator: "grok", input: "x", pattern: "^(?<n:n:int>x)$" })
    expect(results[0]).toMatchObject({
      matched: false,
      pattern: 1,
      output: { n: "x" },
      failure: { reason: "conversion" }
    })
  })
  it("tries dissect patterns in order", () => {
    const { results } = run({
      operator: "dissect",
      input: "a-b\na=b\nab",
      pattern: "%{x}-%{+x}\n%{l}=%{r}",
      appendSeparator: "+"
    })
    expect(results.map(({ pattern, output }) => [pattern, output])).toEqual([
      [1, { x: "a+b" }],
      [2, { l: "a", r: "b" }],
      [undefined, undefined]
    ])
  })
  it("takes the whole input as one sample on request", () => {
    const { results } = run({ operator: "grok", input: "a\nb", pattern: "^(?<all>.*)$", split: "none" })
    expect(results).toMatchObject([{ line: 1, output: { all: "a\nb" } }])
  })
  it("reports a sample that was cut off", () => {
    const tester = Result.getOrThrow(prepare({ operator: "grok", pattern: "x" }))
    expect(tester.timedOut({ line: 1, text: "x" }, 200)).toMatchObject({
      matched: false,
      failure: { reason: "timeout" }
    })
  })
  it.each<[Partial<TestOptions>, object]>([
    [{ pattern: "# c\n\nok\n  %{NOPE}" }, { part: "pattern", line: 4, column: 3, text: "%{NOPE}" }],
    [
      { pattern: "%{D}", definitions: "\nD a(" },
      { part: "definitions", line: 2, column: 4, text: "(" }
    ],
    [{ pattern: "x\n".repeat(1001) }, { part: "pattern", line: 1001, detail: "more than 1000 patterns" }],
    [{ pattern: "\n# none" }, { part: "pattern", detail: expect.stringContaining("no pattern") }],
    [
      { operator: "dissect", pattern: "%{a}\n\n%{b} %{c" },
      { part: "pattern", line: 3, column: 6, text: "%{c" }
    ]
  ])("says where a bad pattern is: %j", (options, expected) => {
    const prepared = prepare({ operator: "grok", pattern: "", ...options })
    expect(Result.isFailure(prepared) && prepared.failure).toMatchObject(expected)
  })
})

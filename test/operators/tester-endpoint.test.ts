import { createHash } from "node:crypto"
import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { memoryGateway, raw, TestGateway } from "../support/gateway.ts"
import { post, refused, test } from "./testerServer.ts"

const send = (operator: string, body: FormData, headers: Record<string, string> = {}) =>
  Effect.flatMap(raw(`/v1/flower/${operator}`, { method: "POST", body, headers }), (response) =>
    Effect.map(
      Effect.promise(() => response.text()),
      (text) => ({ status: response.status, type: response.headers.get("content-type"), text })
    )
  )

const form = (parts: ReadonlyArray<readonly [string, string | Blob, string?]>) => {
  const body = new FormData()
  for (const [name, value, filename] of parts)
    typeof value === "string" ? body.append(name, value) : body.append(name, value, filename ?? name)
  return body
}

layer(memoryGateway(), { excludeTestServices: true })("operator test endpoint", (it) => {
  it.effect("answers the derived client in the types of the interface", () =>
    Effect.gen(function* () {
      const { client } = yield* TestGateway
      const answer = yield* client.operators.test({
        params: { operator: "grok" },
        query: {},
        payload: form([
          ["input", "189 x"],
          ["pattern", "%{NUMBER:duration:int} %{WORD:w}"]
        ])
      })
      expect(answer).toMatchObject({ operator: "grok", total: 1, matched: 1 })
      expect(answer.results[0]?.output).toEqual({ duration: 189, w: "x" })
      const failure = yield* Effect.flip(
        client.operators.test({ params: { operator: "sed" }, query: {}, payload: form([]) })
      )
      expect(failure).toMatchObject({ _tag: "NotFound", kind: "operator" })
    })
  )

  it.effect("takes text fields, files, and files of JSON's type", () =>
    Effect.gen(function* () {
      for (const value of ["%{GREEDYDATA:all}", new Blob(["%{GREEDYDATA:all}"], { type: "application/json" })]) {
        const { status, type, text } = yield* send(
          "grok",
          form([
            ["pattern", value],
            ["input", new Blob(["{}"], { type: "application/json" }), "x.json"],
            ["split", "lines"],
            ["ecsCompatibility", "v1"]
          ])
        )
        expect(status, text).toBe(200)
        expect(type).toContain("application/json")
        expect(JSON.parse(text)).toMatchObject({ results: [{ output: { all: "{}" } }] })
      }
    })
  )

  it.effect.each<[string, Record<string, string>, ReadonlyArray<object>]>([
    ["missing parts", {}, [{ part: "input" }, { part: "pattern" }]],
    ["a missing pattern", { input: "x" }, [{ part: "pattern", detail: "the part is missing" }]],
    [
      "unknown options, both at once",
      { input: "x", pattern: "x", split: "words", ecsCompatibility: "v9" },
      [
        { part: "ecsCompatibility", detail: "expected disabled or v1" },
        { part: "split", detail: "expected lines or none" }
      ]
    ]
  ])("refuses %s", ([, parts, issues]) =>
    Effect.gen(function* () {
      const { status, problem } = yield* refused("grok", parts)
      expect(status).toBe(400)
      expect(problem).toMatchObject({ type: "/problems/bad-request", status: 400, issues })
    })
  )

  it.effect("refuses parts that come twice and digests that are wrong", () =>
    Effect.gen(function* () {
      const twice = yield* send(
        "grok",
        form([
          ["input", "x"],
          ["input", "y"],
          ["pattern", "x"]
        ])
      )
      expect(twice.status).toBe(400)
      expect(JSON.parse(twice.text)).toMatchObject({
        issues: [{ part: "input", detail: "the part was sent more than once" }]
      })
      const digest = createHash("sha256").update("something else").digest("base64")
      const wrong = yield* send(
        "grok",
        form([
          ["input", "x"],
          ["pattern", "x"]
        ]),
        {
          "content-digest": `sha-256=:${digest}:`
        }
      )
      expect(wrong.status).toBe(400)
      expect(JSON.parse(wrong.text)).toMatchObject({ issues: [{ detail: expect.stringContaining("content-digest") }] })
    })
  )

  it.effect.each<[string, string, Record<string, string>, object]>([
    ["an unknown name", "grok", { pattern: "%{NOPE:x}" }, { part: "pattern", line: 1, column: 1, text: "%{NOPE:x}" }],
    ["an unclosed reference", "grok", { pattern: "a\n%{WORD" }, { part: "pattern", line: 2, column: 1 }],
    ["a bad regular expression", "grok", { pattern: "(a" }, { part: "pattern", line: 1 }],
    ["an unknown type", "grok", { pattern: "%{WORD:w:uuid}" }, { part: "pattern", line: 1 }],
    ["a bad definition", "grok", { pattern: "%{A}", definitions: "B b\nA (x" }, { part: "definitions", line: 2 }],
    ["no pattern", "grok", { pattern: "" }, { part: "pattern" }],
    ["nothing but comments", "dissect", { pattern: "# a\n\n#b" }, { part: "pattern" }],
    ["a dissect pattern without keys", "dissect", { pattern: "%{a}\nplain" }, { part: "pattern", line: 2 }]
  ])("tells where %s is", ([, operator, parts, expected]) =>
    Effect.gen(function* () {
      const answer = yield* refused(operator, { input: "x", ...parts })
      expect(answer).toMatchObject({
        status: 500,
        problem: { type: "/problems/invalid-operator", status: 500, detail: expect.any(String), ...expected }
      })
    })
  )

  it.effect("replaces bytes of the samples that are no text, and says where they are", () =>
    Effect.gen(function* () {
      const input = new Uint8Array([...new TextEncoder().encode("ok\né😀"), 0xc3, 0x28, 10, 0xff])
      for (const [operator, parts] of [
        ["grok", { pattern: "^%{GREEDYDATA:all}$" }],
        ["dissect", { pattern: "%{all}" }],
        ["flowlet", { logFile: "return { all: event.message }" }]
      ] as const) {
        const answer = yield* test(operator, { input, ...parts })
        expect(answer.results.map(({ output }) => (operator === "flowlet" ? [output].flat()[0] : output))).toEqual([
          { all: "ok" },
          { all: "é😀\uFFFD(" },
          { all: "\uFFFD" }
        ])
        expect(answer.hints).toContain("the input is not UTF-8: bytes such as 0xc3 at 2:4 are replaced by \uFFFD")
      }
      const late = new Uint8Array(3_000_000).fill(97)
      late.set([10, 0xff], 2_999_000)
      expect((yield* test("grok", { input: late, pattern: "^a{9}" })).hints.join()).toContain("0xff at 2:1")
      expect((yield* test("grok", { input: "é", pattern: "^é" })).hints.join()).not.toContain("UTF-8")
    })
  )

  it.effect("refuses bytes that are no text in the other parts", () =>
    Effect.gen(function* () {
      const bytes = new Uint8Array([...new TextEncoder().encode("ok\né😀"), 0xc3, 0x28])
      for (const part of ["pattern", "definitions"]) {
        const { status, problem } = yield* refused("grok", { input: "x", pattern: "x", [part]: bytes })
        expect(status).toBe(500)
        expect(problem).toMatchObject({ part, line: 2, column: 4, text: "0xc3" })
      }
    })
  )

  it.effect("holds the parts to their limits", () =>
    Effect.gen(function* () {
      const mebibyte = "x".repeat(1024 * 1024)
      expect(yield* refused("grok", { input: "x", pattern: `${mebibyte}x` })).toMatchObject({
        status: 413,
        problem: { type: "/problems/too-large", limit: "definitionsPart", value: 1_048_576, part: "pattern" }
      })
      const { status, text } = yield* post("grok", { input: mebibyte.repeat(65), pattern: "x" })
      expect(status).toBe(413)
      expect(JSON.parse(text)).toMatchObject({ limit: "testInput", value: 67_108_864, part: "input" })
      const many = Array.from({ length: 33 }, (_, index) => [`p${index}`, "x"] as const)
      expect(JSON.parse((yield* send("grok", form(many))).text)).toMatchObject({ limit: "parts", value: 32 })
    })
  )

  it.effect("cuts the input into samples as the guide says", () =>
    Effect.gen(function* () {
      const input = "\ufeffone\r\n\r\n two \n\n\nthree"
      const lines = yield* test("grok", { input, pattern: "(?<all>.*)" })
      expect(lines.results.map(({ line, input }) => [line, input])).toEqual([
        [1, "one"],
        [3, " two "],
        [6, "three"]
      ])
      const whole = yield* test("grok", { input: "a\r\nb\n", pattern: "^(?<all>.*)\\z", split: "none" })
      expect(whole.results).toMatchObject([{ line: 1, input: "a\r\nb\n", output: { all: "a\r\nb\n" } }])
      expect(yield* test("grok", { input: "", pattern: "x" })).toEqual({
        operator: "grok",
        results: [],
        hints: [],
        total: 0,
        matched: 0
      })
      const many = yield* test("dissect", { input: "a b\n\n".repeat(5000), pattern: "%{x} %{y}" })
      expect(many.results.map(({ line }) => line)).toEqual(Array.from({ length: 5000 }, (_, index) => index * 2 + 1))
    })
  )

  it.effect("keeps what did not convert, and says so", () =>
    Effect.gen(function* () {
      const answer = yield* test("grok", { input: "abc", pattern: "%{WORD:n:int}" })
      expect(answer).toMatchObject({
        matched: 0,
        results: [{ matched: false, output: { n: "abc" }, failure: { reason: "conversion" } }]
      })
    })
  )
})

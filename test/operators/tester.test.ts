import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { memoryGateway } from "../support/gateway.ts"
import { refused, test } from "./testerServer.ts"

const definitions = "NUMBER [0-9]+\nIP [0-9.]+\nWORD \\w+\n"

layer(memoryGateway(), { excludeTestServices: true })("operator test", (it) => {
  it.effect("tells where grok's captures lie and how far a miss got", () =>
    Effect.gen(function* () {
      const answer = yield* test("grok", {
        input: "189 127.0.0.1\n\nabc\r\n",
        pattern: "# comment\n%{NUMBER:duration} %{IP:client}\n",
        definitions
      })
      expect(answer).toMatchObject({
        operator: "grok",
        total: 2,
        matched: 1,
        results: [
          {
            line: 1,
            input: "189 127.0.0.1",
            matched: true,
            pattern: 1,
            output: { duration: "189", client: "127.0.0.1" },
            captures: [
              { name: "duration", syntax: "NUMBER", value: "189", start: 0, end: 3 },
              { name: "client", syntax: "IP", value: "127.0.0.1", start: 4, end: 13 }
            ],
            micros: expect.any(Number)
          },
          {
            line: 3,
            input: "abc",
            matched: false,
            failure: { reason: "no-match", matchedUpTo: 0, failedAt: "%{NUMBER:duration}", detail: expect.any(String) }
          }
        ]
      })
    })
  )

  it.effect("dissects with the first pattern that matches", () =>
    Effect.gen(function* () {
      const answer = yield* test("dissect", {
        input: "a=1 b=2\nx y",
        pattern: "a=%{+v} b=%{+v}\n%{one} %{two}",
        appendSeparator: "-"
      })
      expect(answer.results).toMatchObject([
        { pattern: 1, output: { v: "1-2" } },
        { pattern: 2, output: { one: "x", two: "y" } }
      ])
    })
  )

  it.effect("refuses what cannot be used", () =>
    Effect.gen(function* () {
      expect(yield* refused("sed", { input: "x", pattern: "x" })).toMatchObject({
        status: 404,
        problem: { kind: "operator", id: "sed" }
      })
      expect(yield* refused("grok", {})).toMatchObject({
        status: 400,
        problem: { issues: [{ part: "input" }, { part: "pattern" }] }
      })
      expect(yield* refused("grok", { input: "x", pattern: "ok\n\n  %{NOPE:x}" })).toMatchObject({
        status: 500,
        problem: { type: "/problems/invalid-operator", part: "pattern", line: 3, column: 3, text: "%{NOPE:x}" }
      })
      expect(
        yield* refused("grok", { input: "x", pattern: new Uint8Array([97, 10, 0xc3, 0xa9, 98, 0xff]) })
      ).toMatchObject({ status: 500, problem: { part: "pattern", line: 2, column: 3, text: "0xff" } })
    })
  )
})

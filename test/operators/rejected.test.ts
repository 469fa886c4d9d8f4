import { expect, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import type { Event } from "../../src/nodes/Node.ts"
import { dissect } from "../../src/nodes/processing/Dissect.ts"
import { grok } from "../../src/nodes/processing/Grok.ts"
import { Memory, process, run } from "../nodes/memory.ts"
import { issues, of } from "../nodes/one.ts"
import { ended, flowlineForm, memoryGateway, raw, TestGateway } from "../support/gateway.ts"
import { test } from "./testerServer.ts"

const tenant = "mytenant"

/** A flowline that parses the messages with a node and sends its streams to `show`. */
const parsing = (type: string, settings: object, messages: ReadonlyArray<string>, streams: ReadonlyArray<string>) => ({
  version: "1.0",
  type: "flowline",
  runtime: "stream",
  dag: [
    {
      type: "dataset_generator",
      component: "in",
      settings: { rows: messages.map((message) => ({ message })) },
      publish: [{ stream: "a" }]
    },
    {
      type,
      component: "parse",
      settings,
      subscribe: [{ component: "in", stream: "a" }],
      publish: streams.map((stream) => ({ stream }))
    },
    { type: "show", subscribe: [{ component: "parse", stream: streams.at(-1) }] }
  ]
})

const json = (path: string, init: RequestInit) =>
  Effect.flatMap(raw(path, init), (response) => Effect.promise(() => response.json() as Promise<{ id: string }>))

/** What a run of the flowline shows. */
const shown = Effect.fnUntraced(function* (flowline: object) {
  const { client } = yield* TestGateway
  const form = flowlineForm(JSON.stringify(flowline), "a.json")
  const saved = yield* json(`/v1/${tenant}/flowline/save`, { method: "POST", body: form })
  const { id } = yield* json(`/v1/${tenant}/flowline/${saved.id}`, { method: "POST" })
  expect(yield* ended(tenant, saved.id, id)).toMatchObject({ state: "SUCCEEDED" })
  const { lines } = yield* client.executions.output({ params: { tenant, id }, query: {} })
  return lines.map(({ text }) => JSON.parse(text) as { error: { explanation?: object } })
})

const errorOf = (event: Event | undefined) => event?.["error"] as { reason: string; explanation?: { failedAt: string } }

layer(memoryGateway(), { excludeTestServices: true })("rejected records of runs", (it) => {
  it.effect.each<[string, object, string]>([
    [
      "grok",
      { patterns: ["^%{IP:ip} %{WORD:w}$", "^%{WORD:a} (?:up|down %{INT:n})$"] },
      "^%{IP:ip} %{WORD:w}$\n^%{WORD:a} (?:up|down %{INT:n})$"
    ],
    ["dissect", { pattern: "%{a} [%{b}] %{c}" }, "%{a} [%{b}] %{c}"]
  ])("carry the explanation of the operator test: %s", ([type, settings, pattern]) =>
    Effect.gen(function* () {
      const messages = ["10.0.0.1 -", "web down x", "nothing [at"]
      const tested = yield* test(type, { input: messages.join("\n"), pattern })
      const rejected = yield* shown(parsing(type, settings, messages, ["parsed", "errors"]))
      const failures = tested.results.flatMap(({ failure }) => (failure === undefined ? [] : [failure]))
      expect(rejected.length).toBeGreaterThan(0)
      expect(rejected.map(({ error }) => error.explanation)).toMatchObject(
        failures.map(({ matchedUpTo, failedAt, detail }) => ({ matchedUpTo, failedAt, detail }))
      )
    })
  )
})

layer(memoryGateway(), { excludeTestServices: true })("explanations in runs", (it) => {
  it.effect("are bounded: in length, and for each batch in number", () =>
    Effect.promise(async () => {
      const long = `${"x".repeat(3000)} %{INT:n}`
      const failing = Array.from({ length: 250 }, (_, n) => ({ message: `${"x".repeat(n)}` }))
      for (const [node, settings] of [
        [grok, { patterns: [long] }],
        [dissect, { pattern: `%{a}${"y".repeat(3000)}%{b}` }]
      ] as const) {
        const streams = await process(node, settings, [failing, failing])
        const errors = (streams.get("errors") ?? []).map(errorOf)
        const explained = errors.filter(({ explanation }) => explanation !== undefined)
        expect([errors.length, explained.length]).toEqual([500, 200])
        expect(Math.max(...explained.map((error) => JSON.stringify(error).length))).toBeLessThan(2000)
      }
      const streams = await process(grok, { patterns: ["^%{INT:n}$"] }, [[{ message: "x".repeat(3000) }]])
      expect(errorOf(streams.get("errors")?.[0])).toEqual({
        node: "node",
        reason: "no pattern matches the field message"
      })
    })
  )

  it.effect("cost nothing where nobody receives the records", () =>
    Effect.promise(async () => {
      const memory = new Memory()
      const counters = await run(parsing("grok", { patterns: ["%{INT:n}"] }, ["x", "1"], ["parsed"]), memory)
      expect(counters[1]).toMatchObject({ errors: 1, lastError: "no pattern matches the field message" })
      let explained = 0
      const context = { ...memory.nodeContext("node"), publishesErrors: () => false }
      const instance = await dissect.start(
        Schema.decodeUnknownSync(dissect.settings)({ pattern: "%{a}-%{b}" }),
        context
      )
      await instance.process?.([{ message: "x" }], (_, batch) => {
        explained += batch.filter((event) => errorOf(event).explanation !== undefined).length
      })
      expect(explained).toBe(0)
    })
  )

  it.effect("say that a text is longer than max_line_length", () =>
    Effect.promise(async () => {
      const settings = { patterns: ["%{WORD:w}"], max_line_length: 10 }
      expect((await of(grok, settings, ["12345678901"])).errors).toEqual([
        "11 characters in the field message are more than max_line_length (10)"
      ])
    })
  )
})

layer(memoryGateway(), { excludeTestServices: true })("grok over several fields", (it) => {
  const match = { message: ["^%{INT:n}$", "^%{WORD:w}$"], "[http][url]": "^/%{WORD:page}" }

  it.effect("tries the fields in order, up to the first one that matches", () =>
    Effect.promise(async () => {
      const events = [
        { message: "7", http: { url: "/a" } },
        { message: "-", http: { url: "/b" } },
        { message: "-", http: { url: "c" } },
        { message: "x" },
        { other: 1 }
      ]
      const { records, errors } = await of(grok, { match }, events)
      expect(records).toEqual([
        { ...events[0], n: "7" },
        { ...events[1], page: "b" },
        { ...events[3], w: "x" }
      ])
      expect(errors).toEqual(Array.from({ length: 2 }, () => "no pattern matches the fields message, [http][url]"))
      const all = await of(grok, { match, break_on_match: false }, events.slice(0, 1))
      expect(all.records).toEqual([{ ...events[0], n: "7", w: "7", page: "a" }])
      expect((await of(grok, { match, ignore_missing: true }, events.slice(4))).records).toEqual([{ other: 1 }])
    })
  )

  it.effect("explains the field in which a pattern comes furthest", () =>
    Effect.promise(async () => {
      const streams = await process(grok, { match }, [[{ message: "-", http: { url: "/-" } }]])
      expect(errorOf(streams.get("errors")?.[0])).toMatchObject({
        explanation: { matchedUpTo: 1, failedAt: "%{WORD:page}" }
      })
    })
  )

  it.effect("says what is wrong with its settings, at its place", () =>
    Effect.sync(() => {
      expect(issues(grok, {})).toEqual(["patterns"])
      expect(issues(grok, { match, patterns: ["x"] })).toEqual(["match"])
      expect(issues(grok, { match: {} })).toEqual(["match"])
      expect(issues(grok, { match: { a: Array.from({ length: 101 }, () => "x") } })).toEqual(["match"])
      expect(issues(grok, { match: { a: "%{NOPE} %{NIX}", b: ["x", "("] } })).toEqual([
        "match/a",
        "match/a",
        "match/b/1"
      ])
      expect(issues(grok, { patterns: ["%{NOPE} %{NIX}"] })).toEqual(["patterns/0", "patterns/0"])
    })
  )

  it.effect("runs over HTTP", () =>
    Effect.gen(function* () {
      const settings = { match: { message: "^%{INT:n}$", other: "x" }, add_field: { seen: "%{n}" } }
      expect(yield* shown(parsing("grok", settings, ["7"], ["parsed"]))).toEqual([{ message: "7", n: "7", seen: "7" }])
    })
  )
})

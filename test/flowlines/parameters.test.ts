import { describe, expect, it, layer } from "@effect/vitest"
import { Effect, Fiber, Result } from "effect"
import type { Issue } from "../../src/errors/BadRequest.ts"
import { limited } from "../../src/layers/decoder/DecoderThreads.ts"
import type { Flowline } from "../../src/protocol/Flowline.ts"
import { decodeStored } from "../../src/services/executions/StoredFlowline.ts"
import {
  check,
  conclude,
  type Definition,
  FlowlineDecoder,
  noSql,
  parse
} from "../../src/services/flowlines/Decoder.ts"
import type { ReferenceValues } from "../../src/services/flowlines/validation/FilledContent.ts"

const decode = (text: string, values: ReferenceValues = {}): Result.Result<Definition, ReadonlyArray<Issue>> =>
  Result.flatMap(parse({ name: "f.yaml", bytes: new TextEncoder().encode(text) }, values), (document) =>
    conclude(document, check(document.filled, {}, noSql), noSql)
  )

const filled = (text: string, values: ReferenceValues = {}): Definition => {
  const result = decode(text, values)
  if (Result.isFailure(result)) throw new Error(JSON.stringify(result.failure))
  return result.success
}

const refused = (text: string, values: ReferenceValues = {}): ReadonlyArray<Issue> => {
  const result = decode(text, values)
  if (Result.isSuccess(result)) throw new Error("accepted")
  return result.failure
}

/** A flowline with this section of parameters and these settings of its nodes. */
const flowline = (parameters: string, input: string, filter = "where: count > 1") => `
runtime: stream
parameters:
${parameters.replace(/^/gm, "  ")}
dag:
  - type: generator_input
    settings: { ${input} }
    publish: [ { stream: out } ]
  - type: filter
    settings:
      ${filter}
    subscribe: [ { component: generator_input, stream: out } ]
    publish: [ { stream: out } ]
  - type: show
    subscribe: [ { component: filter, stream: out } ]
`

const settingsOf = ({ flowline: { dag } }: { readonly flowline: Flowline }, at = 0) => dag[at]?.settings

describe("parameters", () => {
  const all = `
word: { type: string, pattern: "^[a-z]+$", description: What is said }
count: { type: integer, min: 1, max: 10, default: 3 }
share: { type: number, default: 0.5 }
loud: { type: boolean, default: false }
pause: { type: duration, min: 1s, max: 1h, default: 5s }
since: { type: timestamp, default: 2026-01-31 }
level: { type: enum, values: [low, high], default: low }`

  it("stand for typed values in settings, as whole settings and inside of texts", () => {
    const text = flowline(
      all,
      // biome-ignore lint/suspicious/noTemplateCurlyInString: references of flowlines
      'messages: ["${param:word} ${param:count}/${param:share} ${param:loud} ${param:pause} ${param:since} ${param:level}", "$${param:word}"], count: "${param:count}"',
      // biome-ignore lint/suspicious/noTemplateCurlyInString: references of flowlines
      'where: "count > ${param:count}"'
    )
    const given = filled(text, { given: { word: "hello", count: 7, loud: true, level: "high" } })
    const message = "hello 7/0.5 true 5s 2026-01-31 high"
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the escaped text
    expect(settingsOf(given)).toEqual({ messages: [message, "${param:word}"], count: 7 })
    expect(settingsOf(given, 1)).toEqual({ where: "count > 7" })
    expect(given.kept).toEqual({
      parameters: { word: "hello", count: 7, share: 0.5, loud: true, pause: "5s", since: "2026-01-31", level: "high" },
      variables: {}
    })
    // The stored flowline has the references, and gives the same result with the kept values.
    expect(given.dag).toContain("param:count}")
    expect(Result.getOrThrow(decodeStored(given.dag, given.kept))).toEqual(given.flowline)
  })

  it("that are unknown, missing or wrong are all named, with what may be meant", () => {
    // biome-ignore lint/suspicious/noTemplateCurlyInString: references of flowlines
    const text = flowline(all, 'messages: ["${param:word}"], count: "${param:count}"')
    const given = { cuont: 1, count: 11, loud: "yes", pause: "2h", since: "yesterday", level: "mid", share: "1" }
    expect(refused(text, { given }).map(({ part, pointer, detail }) => [part, pointer, detail])).toEqual([
      ["parameters", "/cuont", 'There is no parameter "cuont"; did you mean "count"?'],
      ["parameters", "/word", 'The parameter "word" is required'],
      ["parameters", "/count", "Expected a whole number from 1 to 10, found 11"],
      ["parameters", "/share", 'Expected a number, found "1"'],
      ["parameters", "/loud", 'Expected true or false, found "yes"'],
      ["parameters", "/pause", 'Expected a duration such as 500ms, 1s, 5m or 2h from 1s to 1h, found "2h"'],
      ["parameters", "/since", 'Expected a time such as 2026-01-31 or 2026-01-31T12:00:00Z, found "yesterday"'],
      ["parameters", "/level", 'Expected one of "low", "high", found "mid"']
    ])
    expect(refused(text, { given: { word: "HELLO" } })).toEqual([
      { part: "parameters", pointer: "/word", detail: 'Expected a text that matches ^[a-z]+$, found "HELLO"' }
    ])
  })

  it("whose values make a setting wrong are refused with the setting and the reference", () => {
    // biome-ignore lint/suspicious/noTemplateCurlyInString: references of flowlines
    const text = flowline("rule: { type: string }", "messages: [a], count: 1", 'where: "${param:rule}"')
    const [issue, ...others] = refused(text, { given: { rule: "a > (" } })
    expect(others).toEqual([])
    expect(issue?.detail).toMatch(/\(the value of \$\{param:rule\}\)$/)
    expect(issue?.pointer).toBe("/dag/1/settings/where")
    // Without a value nothing is known that could be wrong.
    expect(settingsOf(filled(text), 1)).toEqual({ where: "rule" })
    expect(settingsOf(filled(text, { given: { rule: "a > 1" } }), 1)).toEqual({ where: "a > 1" })
  })

  it("are checked when a flowline is saved, with their places", () => {
    const text = flowline(
      `
count: { type: integer, default: many }
level: { type: enum }
loud: { type: boolean, min: 1 }
word: { type: string, pattern: "(" }
low: { type: integer, min: 5, max: 1 }
both: { type: string, default: a, required: true }
1st: { type: string, default: a }
what: { type: text }`,
      // biome-ignore lint/suspicious/noTemplateCurlyInString: references of flowlines
      'messages: ["${param:levle} ${param:}"], count: 1'
    )
    expect(refused(text).map(({ pointer, line, detail }) => [pointer, line, detail])).toEqual([
      ["/parameters/count/default", 5, 'Expected a whole number, found "many"'],
      ["/parameters/level", 6, "An enum needs its values"],
      ["/parameters/loud/min", 7, "Only integer, number, duration, timestamp can have min, and this is boolean"],
      ["/parameters/word/pattern", 8, "This is no regular expression"],
      ["/parameters/low/min", 9, "min is greater than max"],
      ["/parameters/both/required", 10, "A parameter with a default need not be given: leave one of them out"],
      ["/parameters/1st", 11, "The name of a parameter is a letter and at most 63 letters, digits and _"],
      ["/parameters/what/type", 12, expect.stringContaining('"string" | "integer"') as string],
      ["/dag/0/settings/messages/0", 15, 'There is no parameter "levle"; did you mean "level"?'],
      ["/dag/0/settings/messages/0", 15, expect.stringContaining("A reference to a parameter is") as string]
    ])
  })

  it("that need not be given are left out with their settings", () => {
    // biome-ignore lint/suspicious/noTemplateCurlyInString: references of flowlines
    const text = flowline("count: { type: integer, required: false }", 'messages: [a], count: "${param:count}"')
    expect(settingsOf(filled(text, { given: {} }))).toEqual({ messages: ["a"] })
    expect(settingsOf(filled(text, { given: { count: 2 } }))).toEqual({ messages: ["a"], count: 2 })
    const { dag, kept } = filled(text, { given: {} })
    expect(Result.getOrThrow(decodeStored(dag, kept)).dag[0].settings).toEqual({ messages: ["a"] })
  })

  it("cannot put secrets where the author has put none", () => {
    const secrets = (url: string) => `
runtime: stream
parameters: { a: { type: string }, b: { type: string, default: "" } }
dag:
  - { type: generator_input, settings: { messages: [x], count: 1 }, publish: [ { stream: out } ] }
  - { type: http_output, settings: { url: "https://example.com", headers: { x: "${url}" } }, subscribe: [ { component: generator_input, stream: out } ] }
`
    const detail = "The values of parameters and variables cannot refer to secrets"
    const given = [
      // biome-ignore-start lint/suspicious/noTemplateCurlyInString: references of flowlines
      ["${param:a}", { a: "${secret:TOKEN}" }],
      ["${param:a}${param:b}", { a: "${sec", b: "ret:TOKEN}" }],
      ["${secret:${param:a}}", { a: "TOKEN" }],
      ["${param:a}${secret:TOKEN}", { a: "$" }]
      // biome-ignore-end lint/suspicious/noTemplateCurlyInString: references of flowlines
    ] as const
    for (const [text, values] of given) {
      expect(refused(secrets(text), { given: values }).map((issue) => issue.detail)).toContain(detail)
    }
    // biome-ignore lint/suspicious/noTemplateCurlyInString: references of flowlines
    const beside = filled(secrets("${param:a} ${secret:TOKEN}"), { given: { a: "Bearer" } })
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a reference
    expect(settingsOf(beside, 1)?.["headers"]).toEqual({ x: "Bearer ${secret:TOKEN}" })
  })

  it("are refused where names are expected, and left alone in prose", () => {
    const text = `
runtime: stream
description: "Not a reference: \${param:x}"
dag:
  - { type: generator_input, component: "\${param:x}", settings: { messages: [a], "\${var:y}": 1 }, publish: [ { stream: out } ] }
  - { type: show, subscribe: [ { component: "\${param:x}", stream: out } ] }
`
    expect(refused(text).map(({ detail }) => detail)).toEqual(
      expect.arrayContaining([
        "Only settings can refer to parameters and variables",
        "A key cannot refer to a parameter or variable"
      ])
    )
    expect(refused(text).some(({ pointer }) => pointer === "/description")).toBe(false)
  })

  it("set the run's own settings", () => {
    const text = `
runtime: stream
parameters: { most: { type: integer }, share: { type: number, default: 5 } }
settings: { timeout_seconds: "\${param:most}", failWhen: [ "rejected > \${param:share} %" ] }
dag:
  - { type: generator_input, settings: { messages: [a] }, publish: [ { stream: out } ] }
  - { type: show, subscribe: [ { component: generator_input, stream: out } ] }
`
    expect(filled(text).flowline.settings.failWhen).toEqual(["rejected > 5 %"])
    const { settings } = filled(text, { given: { most: 60, share: 7.5 } }).flowline
    expect(settings).toEqual({ timeout_seconds: 60, failWhen: ["rejected > 7.5 %"] })
    expect(refused(text, { given: { most: 0 } })[0]?.pointer).toBe("/settings/timeout_seconds")
  })
})

describe("variables", () => {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: references of flowlines
  const text = flowline("x: { type: string, default: a }", 'messages: "${var:words}", count: "${var:count}"')

  it("stand for values of any kind, of which an execution keeps those that it uses", () => {
    const variables = { values: { words: ["a", "b"], count: 2, other: 1 }, environment: "production" }
    const { kept, flowline: found } = filled(text, { given: {}, variables })
    expect(found.dag[0].settings).toEqual({ messages: ["a", "b"], count: 2 })
    expect(kept).toEqual({
      parameters: { x: "a" },
      variables: { words: ["a", "b"], count: 2 },
      environment: "production"
    })
  })

  it("that do not exist are a warning when a flowline is saved and a fault when it is executed", () => {
    const variables = { values: { word: ["a"], count: 2 }, environment: "test" }
    expect(filled(text, { variables }).warnings).toEqual([
      'generator_input: there is no variable "words" in the environment test; did you mean "word"? Runs fail without it'
    ])
    expect(refused(text, { given: {}, variables }).map(({ pointer, detail }) => [pointer, detail])).toEqual([
      ["/dag/0/settings/messages", 'There is no variable "words" in the environment test; did you mean "word"?']
    ])
    const faulty = { values: {}, fault: "variables.yml: line 2, column 1: broken" }
    expect(refused(text, { given: {}, variables: faulty })[0]?.detail).toBe(
      "The variables cannot be used: variables.yml: line 2, column 1: broken"
    )
  })

  it("of other kinds than texts and numbers cannot be inside of texts", () => {
    // biome-ignore lint/suspicious/noTemplateCurlyInString: references of flowlines
    const inside = flowline("x: { type: string, default: a }", 'messages: ["say ${var:words}"], count: 1')
    expect(refused(inside, { variables: { values: { words: ["a"] } } })[0]?.detail).toBe(
      "The variable words is no text or number: it can only be a whole setting"
    )
  })
})

layer(limited({ processor: 300, wall: 60_000 }), { excludeTestServices: true })("a pattern", (it) => {
  it.effect("that takes for ever is ended, and does not hold up others meanwhile", () =>
    Effect.gen(function* () {
      const decoder = yield* FlowlineDecoder
      const text = flowline('word: { type: string, pattern: "^(a+)+$" }', "messages: [a], count: 1")
      const file = { name: "f.yaml", bytes: new TextEncoder().encode(text) }
      const given = (word: string) =>
        Effect.scoped(
          Effect.flatMap(decoder.parse(file, undefined, { given: { word } }), (document) =>
            decoder.validate(document, {})
          )
        )
      const endless = yield* Effect.forkChild(Effect.flip(given(`${"a".repeat(40)}!`)))
      expect((yield* given("aaa")).kept?.parameters).toEqual({ word: "aaa" })
      expect(endless.pollUnsafe()).toBeUndefined()
      const refused = yield* Fiber.join(endless)
      expect(refused).toMatchObject({ issues: [{ detail: expect.stringContaining("to be validated") as string }] })
    })
  )
})

import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { guarded, refused, test, tight } from "./testerServer.ts"

/** Why the only sample of a test does not match. */
const failureOf = (pattern: string, input: string, parts: Record<string, string> = {}, operator = "grok") =>
  Effect.map(test(operator, { input, pattern, ...parts }), ({ results }) => results[0]?.failure)

const access = '10.0.0.1 ann [10/Oct/2025:13:11:36 +0200] "GET / HTTP/1.1" 200 5 "-" "Mozilla/5.0 (Intel Mac OS X 10)"'
const sixty = Array.from({ length: 60 }, (_, n) => `event-${n}-of-many %{INT:n${n}} items`)

// However slow the machine is, there is time to explain.
const patient = { ...tight, sampleMillis: 20_000, hurriedMillis: 20_000, turnMillis: 20_000, testMillis: 20_000 }

layer(guarded(patient), { excludeTestServices: true })("explanations of operator tests", (it) => {
  it.effect.each<[string, string, string, number, string]>([
    [
      "the start of the line, though another start gets further",
      "%{COMBINEDAPACHELOG}",
      access,
      13,
      "%{HTTPDUSER:auth}"
    ],
    [
      "the first start that gets anywhere",
      "%{IP:ip} %{WORD:w} %{INT:n}",
      "x 10.0.0.1 GET a 1.2.3.4 PUT b",
      15,
      "%{INT:n}"
    ],
    ["a start that gets twice as far", "%{INT:n} %{IP:ip}", "1st took 5 10.0.0.x", 11, "%{IP:ip}"],
    ["as much as a lazy part can take", "%{DATA:a} %{GREEDYDATA:b}", "abc", 3, " "],
    ["as much as a lazy part can take in the middle", "^%{DATA:a}: %{INT:n}$", "a: b: c", 6, "%{INT:n}"],
    ["the first iteration of a group", "^(?:%{WORD:k}=%{INT:v};)+$", "a=x;", 2, "%{INT:v}"],
    ["the alternative that gets furthest", `^(?:${sixty.join("|")})$`, "event-42-of-many x items", 17, "%{INT:n42}"],
    ["an alternative of the whole pattern", "^GET %{WORD:a}|POST %{INT:b}$", "POST x", 5, "%{INT:b}"]
  ])("blames %s", ([, pattern, line, matchedUpTo, failedAt]) =>
    Effect.gen(function* () {
      expect(yield* failureOf(pattern, line)).toMatchObject({ reason: "no-match", matchedUpTo, failedAt })
    })
  )

  it.effect("says in few words which of many alternatives failed", () =>
    Effect.gen(function* () {
      const one = yield* failureOf(`^x (?:${sixty.join("|")})$`, "x event-42-of-many 7 things")
      expect(one?.detail).toBe('" items" does not match at offset 21: "things"; of 60 alternatives it came furthest')
      const none = yield* failureOf(`^x (?:${sixty.join("|")})$`, "x nothing")
      expect(none).toMatchObject({ matchedUpTo: 2 })
      expect(none?.detail).toMatch(
        /^none of the 60 alternatives in \(\?:event-0-of-many .{0,80}… matches at offset 2: "nothing"$/
      )
      expect(none?.failedAt?.length).toBeLessThan(250)
      const bacula = yield* failureOf(
        "%{BACULA_LOGLINE}",
        '09-Jan 19:54 host JobId 2: Created new Volume "a b" in catalog.'
      )
      expect(bacula).toMatchObject({ matchedUpTo: 48 })
      expect(bacula?.detail).toMatch(
        /%\{BACULA_LOG_NEW_VOLUME\}\) does not match .*; of 38 alternatives it came furthest$/
      )
    })
  )

  it.effect("says that a sample is too long", () =>
    Effect.gen(function* () {
      const failure = yield* failureOf("%{WORD}", "a".repeat(65_537))
      expect(failure).toMatchObject({ reason: "no-match", detail: "not tried: a sample has at most 65536 characters" })
    })
  )

  it.effect("names all unknown patterns, each with the most similar name", () =>
    Effect.gen(function* () {
      const pattern = "%{IPV5:a} %{OWN:b} %{WROD:c}\n# none\n%{GREEDYDATE:d} %{zzzzzzzz}\n%{WORD:e"
      expect(yield* refused("grok", { input: "x", pattern, definitions: "OWN %{OWM} %{INT}\nOWL x" })).toMatchObject({
        status: 500,
        problem: {
          detail: 'unknown pattern "IPV5"; did you mean "IPV6"?',
          part: "pattern",
          line: 1,
          column: 1,
          text: "%{IPV5:a}",
          issues: [
            { part: "pattern", detail: 'unknown pattern "IPV5"; did you mean "IPV6"?', line: 1, column: 1 },
            { part: "definitions", detail: 'unknown pattern "OWM"; did you mean "OWN"?', line: 1, column: 5 },
            { part: "pattern", detail: 'unknown pattern "WROD"; did you mean "WORD"?', line: 1, column: 20 },
            { part: "pattern", detail: 'unknown pattern "GREEDYDATE"; did you mean "GREEDYDATA"?', line: 3, column: 1 },
            { part: "pattern", detail: 'unknown pattern "zzzzzzzz"', line: 3, column: 17, text: "%{zzzzzzzz}" },
            { part: "pattern", detail: "unclosed %{", line: 4, column: 1, text: "%{WORD:e" }
          ]
        }
      })
      expect(yield* refused("dissect", { input: "x", pattern: "%{a %{b}\n%{a}\n%{" })).toMatchObject({
        status: 500,
        problem: {
          issues: [
            { detail: "unclosed %{", line: 1, column: 1, text: "%{a " },
            { detail: "unclosed %{", line: 3, column: 1, text: "%{" }
          ]
        }
      })
      const many = Array.from({ length: 300 }, (_, n) => `%{NOPE_${n}}`).join("\n")
      const { problem } = yield* refused("grok", { input: "x", pattern: many })
      expect((problem as { issues: ReadonlyArray<unknown> }).issues).toHaveLength(20)
    })
  )

  it.effect("takes Logstash's own files as definitions", () =>
    Effect.gen(function* () {
      const definitions = [
        "# optional fields are marked, in two ways",
        String.raw`FAILED \(%{POSINT:[apache][error]?}\)%{DATA:[apache][text?]}:(?: %{INT:[size]?:int})?`,
        "PORT (?<[source][port?]>[0-9]+)",
        "PATHS (/[[[:alnum:]]_%!$@:.,+~-]*)+",
        String.raw`VOLUME Volume \"?%{USER:[volume][name]}\"?`
      ].join("\n")
      const answer = yield* test("grok", {
        input: '(7)gone: 12 80 /a/ö_b Volume "v1"',
        pattern: "^%{FAILED} %{PORT} %{PATHS:path} %{VOLUME}$",
        definitions
      })
      expect(answer.results[0]?.output).toEqual({
        apache: { error: "7", text: "gone" },
        size: 12,
        source: { port: "80" },
        path: "/a/ö_b",
        volume: { name: "v1" }
      })
    })
  )
})

layer(guarded(tight), { excludeTestServices: true })("explanations under attack", (it) => {
  it.effect("says that a sample does not match, also when finding out where takes too long", () =>
    Effect.gen(function* () {
      // After a line that does not match, one without "!x:" is a miss at once. To find out how far the pattern gets takes
      // every way to split the line.
      const pattern = "(?<a>(?:\\w+\\s?)+)(?<b>(?:\\w+\\s?)+)!x:"
      const answer = yield* test("grok", { input: `ok\n${"word ".repeat(400)}`, pattern })
      expect(answer.results.map(({ failure }) => failure?.reason)).toEqual(["no-match", "no-match"])
      expect(answer.results[1]?.failure?.detail).toMatch(
        /^it does not match; where it fails was not found within \d+ ms$/
      )
    })
  )
})

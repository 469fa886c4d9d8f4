import { connect, type Socket } from "node:net"
import { expect, layer } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { raw, TestGateway } from "../support/gateway.ts"
import { guarded, post, test, tight } from "./testerServer.ts"

/** Takes time exponential in the number of `a`s when the line does not end with one. */
const bomb = "^(?<x>(a|aa)+)$"
const fuse = `${"a".repeat(60)}!`

layer(guarded(tight), { excludeTestServices: true })("operator test under attack", (it) => {
  it.effect("ends a test of nothing but bombs: what is left when its time is over is not tried", () =>
    Effect.gen(function* () {
      const answer = yield* test("grok", { input: `${fuse}\n`.repeat(5000), pattern: bomb })
      expect(answer).toMatchObject({ total: 5000, matched: 0 })
      expect(answer.results.every(({ failure }) => failure?.reason === "timeout")).toBe(true)
    })
  )

  it.effect("serves others while bombs go off", () =>
    Effect.gen(function* () {
      let ended = 0
      const bombing = Effect.andThen(
        test("grok", { input: `${fuse}\n`.repeat(100), pattern: bomb }),
        Effect.sync(() => ++ended)
      )
      const bombs = yield* Effect.forkScoped(Effect.all([bombing, bombing, bombing], { concurrency: 3 }))
      for (let count = 0; count < 10; count++) {
        const response = yield* raw("/v1/platform/tenant")
        expect(response.status).toBe(200)
        yield* Effect.promise(() => response.text())
      }
      expect(ended).toBe(0)
      expect(yield* test("grok", { input: "aa", pattern: bomb })).toMatchObject({ matched: 1 })
      expect(ended).toBeLessThan(3)
      expect(yield* Fiber.join(bombs)).toHaveLength(3)
    })
  )

  it.effect.each<[string, string, string]>([
    ["sixty greedy fields", Array.from({ length: 60 }, (_, n) => `%{ALL:f${n}}`).join(" "), "x ".repeat(40)],
    ["URI schemes", "^[A-Za-z]([A-Za-z0-9+.]+)+:$", "a".repeat(60)],
    ["a repeated search", "(.*a){30}b", "a".repeat(200)],
    ["backtracking over a list", "^(\\s*\\S*)*#$", "word ".repeat(40)]
  ])("survives %s", ([, pattern, input]) =>
    Effect.gen(function* () {
      const { status, text } = yield* post("grok", { input: `${input}\nok`, pattern, definitions: "ALL .*" })
      expect(status, text).toBe(200)
      expect(JSON.parse(text)).toMatchObject({ total: 2, matched: 0 })
    })
  )

  it.effect("does not try lines that are too long, and shows their beginning", () =>
    Effect.gen(function* () {
      const answer = yield* test("grok", {
        input: `short\n${"é".repeat(5 * 1024 * 1024)}\n${"y".repeat(65_537)}\n${"z".repeat(65_536)}\n`,
        pattern: "^(?<all>.*)$"
      })
      expect(answer.results.map(({ line, matched }) => [line, matched])).toEqual([
        [1, true],
        [2, false],
        [3, false],
        [4, true]
      ])
      expect(answer.results[1]).toMatchObject({ input: "é".repeat(1024), truncated: true })
      expect(answer.results[2]).toMatchObject({
        failure: { reason: "no-match", detail: "not tried: a sample has at most 65536 characters" }
      })
    })
  )

  it.effect("drops a test whose client has gone", () =>
    Effect.gen(function* () {
      const { url } = yield* TestGateway
      const abandoned = yield* Effect.forEach(
        Array.from({ length: 10 }),
        () =>
          Effect.promise(() => {
            const body = new FormData()
            body.append("input", `${fuse}\n`.repeat(2000))
            body.append("pattern", bomb)
            const leave = new AbortController()
            setTimeout(() => leave.abort(), 150)
            return fetch(`${url}/v1/flower/grok`, { method: "POST", body, signal: leave.signal }).then(
              (response) => response.text().catch(() => "gone"),
              () => "gone"
            )
          }),
        { concurrency: 10 }
      )
      expect(abandoned).toEqual(Array.from({ length: 10 }, () => "gone"))
      expect(yield* test("grok", { input: "aa", pattern: bomb })).toMatchObject({ matched: 1 })
    })
  )

  it.effect("streams an answer of many MiB in bounded memory", () =>
    Effect.gen(function* () {
      const line = `GET ${"/index.html".repeat(900)}\n`
      const before = process.memoryUsage.rss()
      const pattern = "^(?<verb>[A-Z]+) (?<path>\\S+)"
      const body = new FormData()
      body.append("input", new Blob([line.repeat(1200)]))
      body.append("pattern", pattern)
      const response = yield* raw("/v1/flower/grok", { method: "POST", body })
      let length = 0
      let tail = ""
      let peak = 0
      yield* Effect.promise(async () => {
        for await (const chunk of response.body ?? []) {
          length += chunk.length
          tail = Buffer.from(chunk).toString().slice(-100)
          peak = Math.max(peak, process.memoryUsage.rss())
        }
      })
      expect(tail).toMatch(/"total":1200,"matched":1200\}$/)
      expect(length).toBeGreaterThan(20_000_000)
      expect(peak - before).toBeLessThan(300 * 1024 * 1024)
    })
  )

  it.effect("refuses more tests than it takes, and takes them again later", () =>
    Effect.gen(function* () {
      const { url } = yield* TestGateway
      const port = Number(new URL(url).port)
      const head =
        "POST /v1/flower/grok HTTP/1.1\r\nhost: x\r\ncontent-type: multipart/form-data; boundary=b\r\n" +
        "content-length: 1000\r\n\r\n--b\r\n"
      const sockets: Array<Socket> = []
      /** Takes a place without sending the form to its end. */
      const hold = Effect.sync(() => {
        const socket = connect(port, "127.0.0.1")
        socket.write(head)
        sockets.push(socket)
      })
      // The place of the last test may still be taken when its answer arrives, so a single answer proves nothing.
      const three = Effect.all(Array.from({ length: 3 }, () => post("grok", { input: "aa", pattern: bomb })))
      const until = (status: number, between: Effect.Effect<void>) =>
        Effect.andThen(between, three).pipe(
          Effect.repeat({ until: (answers) => answers.every((answer) => answer.status === status), times: 1000 })
        )
      // The pause lets the request over the socket arrive first; the next one would otherwise take its place.
      for (const { text } of yield* until(503, Effect.andThen(hold, Effect.sleep(10)))) {
        expect(JSON.parse(text)).toMatchObject({ type: "/problems/unavailable", status: 503 })
      }
      for (const socket of sockets) socket.destroy()
      for (const { text } of yield* until(200, Effect.void)) expect(JSON.parse(text)).toMatchObject({ matched: 1 })
    })
  )

  it.effect("survives the death of a worker and keeps what the others made", () =>
    Effect.gen(function* () {
      // Every field is as long as the line: the results are more than a worker can hold.
      const pattern = Array.from({ length: 1000 }, (_, index) => `(?=(?<f${index}>.*))`).join("")
      const lines = ["a", "b", "x".repeat(65_000), "c"]
      const outcomes = Effect.map(test("grok", { input: lines.join("\n"), pattern: `^${pattern}` }), ({ results }) =>
        results.map(({ matched, failure }) => failure?.reason ?? matched)
      )
      const wanted = [true, true, "timeout", true]
      // A starting worker also pays for V8's compilation of so many groups, which may be too much for a sample.
      const isWanted = (found: ReadonlyArray<unknown>) => found.every((outcome, at) => outcome === wanted[at])
      expect(yield* Effect.repeat(outcomes, { until: isWanted, times: 20 })).toEqual(wanted)
      expect(yield* test("grok", { input: "aa", pattern: "a+" })).toMatchObject({ matched: 1 })
    })
  )
})

// The time of the whole test does not matter here: when a machine stands still, that counts as processor time.
layer(guarded({ ...tight, testMillis: 20_000 }), { excludeTestServices: true })("a sample that runs away", (it) => {
  it.effect("is cut off, and the others are tried", () =>
    Effect.gen(function* () {
      const lines = Array.from({ length: 1500 }, (_, index) => (index === 700 || index === 1400 ? fuse : "aaa"))
      const answer = yield* test("grok", { input: lines.join("\n"), pattern: bomb })
      expect(answer).toMatchObject({ total: 1500, matched: 1498 })
      expect(answer.results.map(({ line }) => line)).toEqual(lines.map((_, index) => index + 1))
      expect(answer.results[700]).toMatchObject({ matched: false, failure: { reason: "timeout" } })
      expect(answer.results[1400]).toMatchObject({ matched: false, failure: { reason: "timeout" } })
    })
  )
})

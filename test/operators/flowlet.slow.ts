import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { guarded, post, refused, test, tight } from "./testerServer.ts"

const run = (logFile: string, input = "x") => test("flowlet", { input, logFile })
const lines = (...events: ReadonlyArray<unknown>) => events.map((event) => JSON.stringify(event)).join("\n")

// Sandboxes that a busy machine makes anew count as time of the test.
layer(guarded({ ...tight, testMillis: 10_000 }), { excludeTestServices: true })("flowlet test", (it) => {
  it.effect("takes events and lines, and returns one, several or none", () =>
    Effect.gen(function* () {
      const answer = yield* run(
        `function process(event) {
          if (event.drop) return
          if (event.copies) return [event, { copy: true }]
          event.seen = true
          return event
        }`,
        `${lines({ b: 1, a: 2 }, { drop: true }, { copies: 1 })}\nplain text\n[1]\n`
      )
      expect(answer).toMatchObject({ operator: "flowlet", total: 5, matched: 4 })
      expect(answer.results.map(({ output }) => JSON.stringify(output))).toEqual([
        '{"b":1,"a":2,"seen":true}',
        undefined,
        '[{"copies":1},{"copy":true}]',
        '{"message":"plain text","seen":true}',
        '{"message":"[1]","seen":true}'
      ])
      expect(answer.results[1]).toMatchObject({ matched: false, failure: { reason: "dropped" } })
    })
  )

  it.effect("runs a body, reads the program from pattern too, and prints", () =>
    Effect.gen(function* () {
      const answer = yield* test("flowlet", {
        input: "a b",
        pattern: "print('saw', event)\nevent.n = event.message.length"
      })
      expect(answer.results).toMatchObject([
        { output: { message: "a b", n: 3 }, printed: ['saw {"message":"a b"}'], micros: expect.any(Number) }
      ])
    })
  )

  it.effect("keeps 64-bit integers and the order of keys", () =>
    Effect.gen(function* () {
      const input = '{"z":1,"id":9007199254740993,"a":{"y":-9223372036854775808,"b":0.5},"f":0.25}'
      const answer = yield* test("flowlet", { input, logFile: "event.new = 1" })
      expect(JSON.stringify(answer.results[0]?.output)).toBe(
        '{"z":1,"id":"9007199254740993","a":{"y":"-9223372036854775808","b":0.5},"f":0.25,"new":1}'
      )
    })
  )

  it.effect.each<[string, string, object]>([
    [
      "an error",
      "\n  throw new TypeError('bad ' + event.message)",
      { message: "TypeError: bad x", line: 2, column: 22 }
    ],
    [
      "a missing name on the first line",
      "event.y = nope(1)",
      { message: "ReferenceError: 'nope' is not defined", line: 1 }
    ],
    ["a thrown string", "throw 'no'", { message: "thrown: no" }],
    ["a promise", "async function process(e) { return e }", { message: expect.stringContaining("promise") }],
    ["a cycle", "event.self = event", { message: expect.stringContaining("circular") }],
    ["a function", "event.f = () => 1", { message: expect.stringContaining('"f" holds a function') }],
    ["a big integer", "event.n = 1n", { message: expect.stringContaining('"n" holds a bigint') }],
    ["not a number", "event.n = 0 / 0", { message: expect.stringContaining('"n" holds NaN') }],
    ["a map", "event.m = new Map()", { message: expect.stringContaining('"m" holds a Map') }],
    ["a boxed number that is none", "event.n = new Number(NaN)", { message: expect.stringContaining('"n" holds NaN') }],
    ["bytes", "event.b = new Uint8Array(2)", { message: expect.stringContaining('"b" holds a typed array') }],
    ["a generator", "return (function* () { yield event })()", { message: expect.stringContaining("a generator") }],
    [
      "a toJSON that makes no event",
      "return [{ toJSON: () => 5 }]",
      { message: expect.stringContaining("not an event") }
    ],
    [
      "a toJSON that makes a list",
      "return { toJSON: () => [1] }",
      { message: expect.stringContaining("not an event") }
    ],
    [
      "a getter that throws",
      "Object.defineProperty(event, 'x', { enumerable: true, get() { throw 'no' } })",
      { message: "thrown: no" }
    ],
    [
      "a revoked proxy",
      "const p = Proxy.revocable({}, {}); p.revoke(); return p.proxy",
      { message: "TypeError: revoked proxy" }
    ],
    [
      "an error that lies",
      "throw Object.defineProperty(new Error('x'), 'stack', { get() { throw 1 } })",
      { message: "thrown: a value that has no text" }
    ],
    ["a long error", "throw new Error('x'.repeat(5e6))", { message: expect.stringMatching(/^Error: x{8000,8200}$/) }],
    ["a number as the event", "return 5", { message: expect.stringContaining("returned a number") }],
    ["endless recursion", "(function f() { f() })()", { message: expect.stringContaining("stack overflow") }],
    ["a clock", "event.t = Date.now()", { message: expect.stringContaining("Date.now is not available") }],
    ["the present", "event.t = new Date()", { message: expect.stringContaining("current time is not available") }],
    ["chance", "event.t = Math.random()", { message: expect.stringContaining("Math.random is not available") }],
    ["a network", "event.t = fetch('http://127.0.0.1')", { message: "ReferenceError: 'fetch' is not defined" }],
    [
      "the way out over a constructor",
      "event.x = event.constructor.constructor('return process.env')()",
      { message: expect.stringContaining("'process' is not defined") }
    ],
    [
      "the way out over an error",
      "try { null.x } catch (e) { e.constructor.constructor('return require')()('fs') }",
      { message: expect.stringContaining("'require' is not defined") }
    ],
    [
      "waiting",
      "Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)",
      { message: expect.stringContaining("is not defined") }
    ],
    ["modules", "import('node:fs')\nreturn import('node:fs')", { message: expect.stringContaining("promise") }],
    ["the host's process", "globalThis.process.exit(1)", { message: expect.stringContaining("TypeError") }],
    [
      "a bad pattern",
      "event.g = grok('%{NOPE}', 'x')",
      { message: expect.stringContaining('unknown pattern "NOPE"'), line: 1 }
    ]
  ])("tells of %s", ([, program, expected]) =>
    Effect.gen(function* () {
      const answer = yield* run(program, "x\nx")
      expect(answer.results).toMatchObject([
        { line: 1, matched: false, failure: { reason: "script", ...expected } },
        { line: 2, matched: false, failure: { reason: "script", ...expected } }
      ])
    })
  )

  it.effect.each<[string, string, object]>([
    ["a syntax error", "let a = 1\nlet b = ;", { part: "logFile", line: 2, column: 9, text: "let b = ;" }],
    ["an error at the end of a body", "event.a =", { part: "logFile", line: 1 }],
    ["a top level that throws", "const x = null.y\nfunction process(e) { return e }", { line: 1 }],
    ["a top level that does not end", "while (true);\nfunction process(e) {}", { part: "logFile" }],
    ["a process that is no function", "const process = 1", { part: "logFile" }],
    ["a program of brackets", "(".repeat(200_000), { part: "logFile" }],
    ["a top level out of reach of the sandbox", "[].indexOf.call({ length: 2 ** 50 }, 1); function process() {}", {}]
  ])("refuses %s", ([, logFile, expected]) =>
    Effect.gen(function* () {
      const answer = yield* refused("flowlet", { input: "x", logFile })
      expect(answer).toMatchObject({ status: 500, problem: { type: "/problems/invalid-operator", ...expected } })
    })
  )

  it.effect.each([
    ["an endless loop", "while (true);"],
    ["a catastrophic pattern", "/(a+)+$/.test('a'.repeat(50) + '!')"],
    ["a catastrophic pattern of a helper", "grok('^(a|aa)+$', 'a'.repeat(60) + '!')"],
    ["a loop inside the sandbox itself", "[].indexOf.call({ length: 2 ** 50 }, 1)"],
    ["a loop that catches everything", "for (;;) { try { for (;;); } catch { } finally { } }"],
    ["a loop in a getter", "Object.defineProperty(event, 'g', { enumerable: true, get() { for (;;); } })"],
    ["a loop in toJSON", "return { toJSON() { for (;;); } }"]
  ])("cuts off %s and goes on", ([, program]) =>
    Effect.gen(function* () {
      const answer = yield* run(`if (event.bomb) { ${program} }\n`, lines({ a: 1 }, { bomb: 1 }, { a: 2 }))
      expect(answer.results.map(({ matched, failure }) => (matched ? "ok" : failure?.reason))).toEqual([
        "ok",
        "timeout",
        "ok"
      ])
    })
  )

  it.effect.each([
    ["strings", "let s = 'x'; for (;;) s += s"],
    ["arrays", "const a = []; for (;;) a.push({ a: 'x'.repeat(1000) + a.length })"],
    ["buffers", "const a = []; for (;;) a.push(new Uint8Array(1e6))"],
    ["a huge array", "event.a = new Array(2 ** 31).fill(1)"],
    ["deep nesting", "let o = {}; for (let i = 0; i < 1e5; i++) o = { o }; return o"],
    ["printing", "for (;;) print('x'.repeat(100000))"]
  ])("survives %s without end", ([, program]) =>
    Effect.gen(function* () {
      const before = process.memoryUsage.rss()
      const answer = yield* run(`if (event.bomb) { ${program} }\n`, lines({ bomb: 1 }, { a: 2 }))
      expect(["script", "timeout"]).toContain(answer.results[0]?.failure?.reason)
      expect(process.memoryUsage.rss() - before).toBeLessThan(400 * 1024 * 1024)
      expect(answer.results[1]).toMatchObject({ matched: true })
    })
  )

  it.effect("takes an event that is nested too deeply for what it is", () =>
    Effect.gen(function* () {
      const nested = `${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}`
      const answer = yield* run("event.seen = 1", `{}\n${nested}\n{}`)
      expect(answer.results.map(({ matched, failure }) => failure?.reason ?? matched)).toEqual([true, "script", true])
    })
  )

  it.effect("lets no event change how the next one is treated", () =>
    Effect.gen(function* () {
      const poison = `
        try { Array.prototype.map = () => 'poisoned' } catch {}
        try { Object.prototype.poisoned = true } catch {}
        try { Object.setPrototypeOf(Object.prototype, { poisoned: true }) } catch {}
        try { JSON = { parse: () => 1, stringify: () => '1' } } catch {}
        try { Object.getPrototypeOf(function* () {}).poisoned = true } catch {}
        try { Promise.prototype.then = 1; RegExp.prototype.exec = () => null } catch {}
        try { grok = print = kv = () => 'poisoned' } catch {}
        event.constructor = 'own'
        event.toString = 'own'
        event.seen = [[1].map((n) => n + 1)[0], {}.poisoned, JSON.parse('[2]')[0], /x/.test('x'), kv('a=1').a]
      `
      const answer = yield* run(poison, "{}\n{}")
      const output = { constructor: "own", toString: "own", seen: [2, null, 2, true, "1"] }
      expect(answer.results.map((result) => result.output)).toEqual([output, output])
    })
  )

  it.effect("takes a list by its indices, whatever it brings along", () =>
    Effect.gen(function* () {
      const answer = yield* run(
        `const list = [{ a: 1 }]
        list.map = list.join = () => ['{"b":2}],"error":{"message":"forged"']
        list[Symbol.iterator] = function* () { for (;;) yield {} }
        return event.message === 'proxy' ? new Proxy(list, {}) : list`,
        "x\nproxy"
      )
      expect(answer.results.map(({ output }) => output)).toEqual([[{ a: 1 }], [{ a: 1 }]])
    })
  )

  it.effect("gives every test a sandbox of its own", () =>
    Effect.gen(function* () {
      const program =
        "let n = 0\nfunction process() { globalThis.shared = (globalThis.shared ?? 0) + 1; return { n: ++n, shared } }"
      const [one, two] = yield* Effect.all([run(program, "a\nb\nc"), run(program, "a")], { concurrency: 2 })
      expect(one?.results.map(({ output }) => output)).toEqual([1, 2, 3].map((n) => ({ n, shared: n })))
      expect(two?.results.map(({ output }) => output)).toEqual([{ n: 1, shared: 1 }])
    })
  )

  it.effect("keeps the state of a program over many batches", () =>
    Effect.gen(function* () {
      const answer = yield* run("let n = 0\nconst process = () => ({ n: ++n })", "x\n".repeat(3500))
      expect(answer).toMatchObject({ total: 3500, matched: 3500 })
      expect(answer.results.at(-1)).toMatchObject({ line: 3500, output: { n: 3500 } })
    })
  )

  it.effect("needs a program", () =>
    Effect.gen(function* () {
      const { status, text } = yield* post("flowlet", { input: "x" })
      expect(status).toBe(400)
      expect(JSON.parse(text)).toMatchObject({ issues: [{ part: "logFile", detail: "the part is missing" }] })
    })
  )
})

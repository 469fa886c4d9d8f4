import { assert, describe, it, layer, type Vitest } from "@effect/vitest"
import { Effect } from "effect"
import { Search } from "../../src/drivers/search/Search.ts"
import { compareDecimals, readDigits, readRaw } from "../../src/languages/json/JsonNumbers.ts"
import { gateway, memoryGateway, raw, TestGateway } from "../support/gateway.ts"
import { tenantOf } from "../support/runs.ts"
import { unzip } from "../support/zip.ts"
import { randomOf } from "./generated.ts"

const numbers = [
  "9007199254740992",
  "9007199254740993",
  "9007199254740994",
  "-9223372036854775808",
  "12345678901234567890",
  "0.1000000000000000000000000000001",
  "0.1000000000000000000000000000002",
  "2.50"
]

const post = (path: string, body: string) =>
  Effect.flatMap(
    raw(`/v1/mytenant/${path}`, { method: "POST", headers: { "content-type": "application/json" }, body }),
    (response) => Effect.promise(async () => ({ status: response.status, text: await response.text() }))
  )

const suite = (it: Vitest.MethodsNonLive<Search | TestGateway>) => {
  it.effect("are found and shown by all their digits", () =>
    Effect.gen(function* () {
      const search = yield* Search
      const { url } = yield* TestGateway
      const documents = numbers.map((n, at) => ({ id: `d${at}`, source: `{"@timestamp":${at},"n":${n}}` }))
      yield* search.write("mytenant", "mytenant-digits", documents)
      const found = (query: string) =>
        Effect.map(post("search", `{"index":"mytenant-digits","query":${query}}`), ({ text }) =>
          [...text.matchAll(/"id":"d(\d)"/g)].map(([, at]) => numbers[Number(at)])
        )
      for (const n of numbers) {
        assert.deepStrictEqual(yield* found(`{"term":{"n":${n}}}`), [n])
        assert.deepStrictEqual(yield* found(`{"terms":{"n":["${n}"]}}`), [n])
        const above = numbers.filter((other) => compareDecimals(other, n) > 0)
        assert.deepStrictEqual(yield* found(`{"range":{"n":{"gt":${n}}}}`), above)
      }
      assert.deepStrictEqual(yield* found('{"term":{"n":12345678901234567891}}'), [])
      const page = yield* post("search", '{"index":"mytenant-digits","fields":["n"]}')
      for (const n of numbers) assert.include(page.text, `{"n":${n}}`)

      const filters = '{"terms":{"n":[9007199254740993,0.1000000000000000000000000000002]}}'
      const started = yield* post("extraction", `{"format":"json","index":"mytenant-digits","filters":${filters}}`)
      const { id, execution }: { readonly id: string; readonly execution: string } = JSON.parse(started.text)
      const tenant = tenantOf(url)
      // The flowline that was saved finds the same when it is run again.
      const again = yield* Effect.promise(() => tenant.execute(id))
      for (const run of [execution, again]) {
        assert.strictEqual((yield* Effect.promise(() => tenant.ended(run))).error, null)
        const archive = yield* raw(`/v1/mytenant/archives/${run}`)
        const [data] = unzip(Buffer.from(yield* Effect.promise(() => archive.arrayBuffer())))
        const lines = data!.bytes.toString().trimEnd().split("\n")
        assert.deepStrictEqual(
          lines.map((line) => /"n": ?([^,}]+)/.exec(line)?.[1]),
          ["9007199254740993", "0.1000000000000000000000000000002"]
        )
      }
    })
  )
}
layer(gateway(), { excludeTestServices: true })("numbers in PostgreSQL", suite)
layer(memoryGateway(), { excludeTestServices: true })("numbers in memory", suite)

describe("JSON", () => {
  it("is read with the digits of its numbers", () => {
    const random = randomOf(53)
    for (let run = 0; run < 2000; run++) {
      const whole = String(BigInt(random.below(2 ** 30)) * BigInt(random.below(2 ** 40)))
      const fraction = random.some(25, () => random.below(10)).join("")
      const literal = random.pick(["", "-"]) + whole + (fraction === "" ? "" : `.${fraction}`)
      const text = `{"a":[${literal}],"b":"${literal}"}`
      assert.strictEqual(JSON.stringify(readRaw(text)), text)
      const digits = readDigits(text) as { readonly a: ReadonlyArray<unknown> }
      assert.strictEqual(compareDecimals(String(digits.a[0]), literal), 0, literal)
      const isKept = typeof digits.a[0] === "number"
      assert.strictEqual(
        isKept,
        compareDecimals(String(Number(literal)), literal) === 0 && Math.abs(Number(literal)) <= Number.MAX_SAFE_INTEGER,
        literal
      )
    }
    assert.deepStrictEqual(readDigits('[1e400, 1e2, -0.0, "1e400"]'), ["1e400", 100, -0, "1e400"])
  })

  it("has numbers that are compared as numbers", () => {
    const ordered = [
      "-1e3",
      "-999.9",
      "-0.001",
      "0",
      "1e-400",
      "0.001",
      "0.0010001",
      "9",
      "10",
      "1e2",
      "100.5",
      "1e400"
    ]
    for (const [at, a] of ordered.entries()) {
      for (const [other, b] of ordered.entries()) {
        assert.strictEqual(Math.sign(compareDecimals(a, b)), Math.sign(at - other), `${a} and ${b}`)
      }
    }
    for (const zero of ["0", "-0", "0.000", "0e7"]) assert.strictEqual(compareDecimals(zero, "0"), 0)
  })
})

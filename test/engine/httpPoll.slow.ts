import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { gzipSync } from "node:zlib"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { program } from "../../src/drivers/Programs.ts"
import type { DagNode, Flowline } from "../../src/protocol/Flowline.ts"
import { eventually } from "../support/process.ts"
import { running } from "./running.ts"
import { failed, failures, shown } from "./shop.ts"
import { ended, engine, flowline, follow, node, places, printed, settings, spec } from "./support.ts"

type Handle = (request: IncomingMessage, response: ServerResponse, url: URL) => void

/** A server on this machine, and the paths that it was asked for. */
const serving = (handle: Handle) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const seen: Array<string> = []
      const server = createServer((request, response) => {
        seen.push(request.url ?? "")
        handle(request, response, new URL(request.url ?? "/", "http://here"))
      })
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
      const at = `127.0.0.1:${(server.address() as AddressInfo).port}`
      return { server, seen, at, url: `http://${at}` }
    }),
    ({ server }) =>
      Effect.sync(() => {
        server.close()
        server.closeAllConnections()
      })
  )

const json = (response: ServerResponse, body: unknown, headers: Record<string, string> = {}) =>
  response.writeHead(200, { "content-type": "application/json; charset=utf-8", ...headers }).end(JSON.stringify(body))

const polling = (given: DagNode["settings"]): Flowline =>
  flowline([
    { ...node("http_poll_input", given), component: "in", publish: [{ stream: "out" }, { stream: "errors" }] },
    shown,
    failures
  ])

const polled = (given: DagNode["settings"], outbound: ReadonlyArray<string> = ["127.0.0.1"]) =>
  Effect.gen(function* () {
    const { root } = yield* places
    const messages = yield* follow(spec(polling(given))).pipe(Effect.provide(engine(settings(root, { outbound }))))
    return { records: printed(messages).map((line) => JSON.parse(line)), error: ended(messages).error }
  })

describe("http_poll_input", () => {
  it.live("reads the formats that servers answer with, and tells what is no record", () =>
    Effect.gen(function* () {
      const { url } = yield* serving((_, response, { pathname }) => {
        const answers: Readonly<Record<string, () => void>> = {
          "/list": () => json(response, [{ a: 1 }, 5, { a: "2" }]),
          "/deep": () =>
            response
              .writeHead(200, { "content-type": "application/vnd.x+json", "content-encoding": "gzip" })
              .end(gzipSync('{"data":{"a/b":[{"n":12345678901234567890}]}}')),
          "/one": () => json(response, { a: 1 }),
          "/lines": () => response.writeHead(200, { "content-type": "text/plain" }).end("x\ny"),
          "/csv": () => response.writeHead(200, { "content-type": "text/csv; header=present" }).end("a,b\n1,2\n3\n"),
          "/nd": () => response.writeHead(200, { "content-type": "application/x-ndjson" }).end('{"a":1}\nnone\n'),
          "/nothing": () => response.writeHead(204, { "content-encoding": "gzip" }).end(),
          "/named": () =>
            response
              .writeHead(200, { "content-type": "text/plain", "content-encoding": "x-gzip" })
              .end(gzipSync("packed")),
          "/br": () =>
            response.writeHead(200, { "content-type": "text/plain", "content-encoding": "br" }).end("no such text"),
          "/latin": () =>
            response
              .writeHead(200, { "content-type": 'text/csv; charset="ISO-8859-1"' })
              .end(Buffer.from("name\nMüller\n", "latin1")),
          "/cyrillic": () =>
            response
              .writeHead(200, { "content-type": "text/plain;charset=windows-1251" })
              .end(Buffer.from([0xe4, 0xe0])),
          "/strange": () => response.writeHead(200, { "content-type": "text/plain; charset=none" }).end("é"),
          "/other": () => response.writeHead(200, { "content-type": "application/octet-stream" }).end("[]")
        }
        answers[pathname]?.()
      })
      const reason = (text: string) => ({ node: "in", reason: text })
      const cases: ReadonlyArray<readonly [path: string, given: object, records: ReadonlyArray<unknown>]> = [
        ["/list", {}, [{ a: 1 }, { a: "2" }, { message: "5", error: reason("this is not an object") }]],
        ["/deep", { records: "/data/a~1b" }, [{ n: "12345678901234567890" }]],
        ["/one", {}, [{ a: 1 }]],
        ["/one", { format: "lines" }, [{ message: '{"a":1}' }]],
        ["/lines", {}, [{ message: "x" }, { message: "y" }]],
        ["/nothing", {}, []],
        ["/nothing", { pages: { next: "/next" } }, []],
        ["/named", {}, [{ message: "packed" }]],
        ["/latin", {}, [{ name: "Müller" }]],
        ["/cyrillic", {}, [{ message: "да" }]],
        ["/strange", {}, [{ message: "é" }]],
        ["/nd", {}, [{ a: 1 }, { message: "none", error: reason("the line is not JSON") }]]
      ]
      for (const [path, given, records] of cases) {
        assert.deepStrictEqual(yield* polled({ url: url + path, ...given }), {
          records: [...records],
          error: undefined
        })
      }
      for (const runtime of ["analytics", "pybatch"] as const) {
        const { root } = yield* places
        const given = settings(root, { entry: program("run"), outbound: ["127.0.0.1"] })
        const run = { ...polling({ url: `${url}/deep`, records: "/data/a~1b" }), runtime }
        const messages = yield* follow(spec(run)).pipe(Effect.provide(engine(given)))
        const n = printed(messages).map((line) => String(JSON.parse(line).n))
        assert.deepStrictEqual([runtime, ended(messages).error, n], [runtime, undefined, ["12345678901234567890"]])
      }
      const csv = yield* polled({ url: `${url}/csv` })
      assert.deepStrictEqual([csv.records[0], csv.records[1]?.row, csv.error], [{ a: "1", b: "2" }, 3, undefined])
      for (const [path, given, error] of [
        ["/other", {}, "does not say what it answers with (Content-Type: application/octet-stream): set format"],
        ["/br", {}, "answers with Content-Encoding br; only gzip can be read"],
        ["/one", { records: "/b" }, "The answer has no /b: set records to where the records are"],
        ["/lines", { format: "json" }, "The answer is not JSON"]
      ] as const) {
        assert.include((yield* polled({ url: url + path, ...given })).error, error)
      }
    })
  )

  it.live("reads all pages, however the next one is named, and not those of another server", () =>
    Effect.gen(function* () {
      const other = yield* serving((_, response) => json(response, [{ n: "stolen" }]))
      const all = Array.from({ length: 25 }, (_, n) => ({ n }))
      const here = yield* serving((_, response, { pathname, searchParams: query }) => {
        const from = Number(query.get("from") ?? query.get("cursor") ?? 0)
        const page = all.slice(from, from + 10)
        const to = from + 10 < all.length ? from + 10 : undefined
        const paged = all.slice((Number(query.get("p")) - 1) * 5, Number(query.get("p")) * 5)
        const answers: Readonly<Record<string, () => void>> = {
          "/link": () => json(response, page, to ? { link: `</x>; rel="prev", <?from=${to}>; rel="last next"` } : {}),
          "/next": () => json(response, { items: page, next: to === undefined ? null : `/next?from=${to}` }),
          "/cursor": () => json(response, { items: page, meta: { cursor: to } }),
          "/offset": () => json(response, all.slice(from, from + Number(query.get("limit")))),
          "/page": () => json(response, paged),
          "/away": () => json(response, page, { link: `<${other.url}/?from=1>; rel=next` }),
          "/circle": () => json(response, [], { link: `</circle?b=${query.get("b") === "1" ? 2 : 1}>; rel=next` })
        }
        answers[pathname]?.()
      })
      const cases: ReadonlyArray<readonly [path: string, given: object, requests: number]> = [
        ["/link", { pages: { next: "link" } }, 3],
        ["/next", { records: "/items", pages: { next: "/next" } }, 3],
        ["/cursor", { records: "/items", pages: { cursor: "/meta/cursor", parameter: "cursor" } }, 3],
        ["/offset", { pages: { offset: "from", size: 10, size_parameter: "limit" } }, 3],
        ["/offset", { pages: { offset: "from", size: 5, size_parameter: "limit" } }, 6],
        ["/page", { pages: { page: "p" } }, 6]
      ]
      for (const [path, given, requests] of cases) {
        here.seen.length = 0
        const { records, error } = yield* polled({ url: here.url + path, ...given })
        assert.deepStrictEqual([path, error, records, here.seen.length], [path, undefined, all, requests])
      }
      for (const [path, given, error] of [
        ["/away", {}, `the next page is on another server, ${other.at}`],
        ["/circle", {}, "The next page is one that was read already"],
        ["/link", { max_pages: 2 }, "There are more than max_pages, 2"]
      ] as const) {
        const outcome = yield* polled({ url: here.url + path, pages: { next: "link" }, ...given })
        assert.include(outcome.error, error)
      }
      assert.deepStrictEqual(other.seen, [])
    })
  )

  it.live("asks again, and reads an answer once until it changes, also in a later attempt", () =>
    Effect.gen(function* () {
      const { root } = yield* places
      let version = 1
      const conditions = new Set<string>()
      const here = yield* serving((request, response) => {
        const condition = request.headers["if-none-match"]
        conditions.add(`${condition} ${request.headers.authorization}`)
        if (condition === `"v${version}"`) response.writeHead(304, { "content-encoding": "gzip" }).end()
        else json(response, [{ version }], { etag: `"v${version}"` })
      })
      const dag = polling({ url: here.url, every: "5ms", headers: { authorization: `Bearer \${secret:TOKEN}` } })
      const order = { ...spec(dag), secrets: Redacted.make({ TOKEN: "word" }) }
      const given = settings(root, { entry: program("run"), outbound: [here.at] })
      const first = yield* running(given, order)
      const versions = () => first.records().map((record) => record["version"])
      yield* Effect.promise(() => eventually("ten requests", () => failed(first) || here.seen.length >= 10))
      version = 2
      yield* Effect.promise(() => eventually("the change", () => failed(first) || versions().length >= 2))
      yield* Effect.promise(() => eventually("the position", () => JSON.stringify(first.positions()).includes("v2")))
      yield* first.stop
      assert.deepStrictEqual(versions(), [1, 2])
      const asked = here.seen.length
      const second = yield* running(given, { ...order, epoch: 2, positions: first.positions() })
      yield* Effect.promise(() => eventually("five requests", () => failed(second) || here.seen.length >= asked + 5))
      version = 3
      yield* Effect.promise(() => eventually("a record", () => failed(second) || second.records().length > 0))
      assert.deepStrictEqual(second.records(), [{ version: 3 }])
      yield* second.stop
      assert.includeMembers(
        [...conditions],
        ["undefined", '"v1"', '"v2"'].map((tag) => `${tag} Bearer word`)
      )
    })
  )

  it.live("repeats what may succeed later, and fails at once where it would not", () =>
    Effect.gen(function* () {
      const inside = yield* serving((_, response) => json(response, [{ inside: true }]))
      let asked = 0
      const here = yield* serving((request, response, { pathname }) => {
        const turn = ++asked
        const answers: Readonly<Record<string, () => void>> = {
          "/late": () => {
            if (turn === 1) response.writeHead(503, { "retry-after": "0" }).end()
            else if (turn === 2) request.socket.destroy()
            else if (turn === 3) response.writeHead(200, { "content-type": "application/json" }).write('[{"a":')
            else json(response, [{ turn }])
            if (turn === 3) request.socket.end()
          },
          "/busy": () => response.writeHead(429, { "retry-after": "0" }).end(),
          "/silent": () => {},
          "/gone": () => response.writeHead(404, { "content-encoding": "gzip", "content-length": "0" }).end(),
          "/moved": () => response.writeHead(302, { location: `${inside.url}/secret?key=1` }).end(),
          "/large": () => json(response, [{ text: "x".repeat(3000) }]),
          "/bomb": () =>
            response
              .writeHead(200, { "content-type": "application/json", "content-encoding": "gzip" })
              .end(gzipSync(Buffer.alloc(10_000_000, " ")))
        }
        answers[pathname]?.()
      })
      const late = yield* polled({ url: `${here.url}/late` })
      assert.deepStrictEqual(late, { records: [{ turn: 4 }], error: undefined })
      asked = 0
      yield* polled({ url: `${here.url}/busy`, retry_seconds: 1 })
      assert.isAtMost(asked, 8)
      const cases: ReadonlyArray<readonly [path: string, given: object, error: string]> = [
        ["/busy", { retry_seconds: 0.3 }, "has not answered for 0.3 seconds: status 429"],
        [
          "/silent",
          { retry_seconds: 0.3, timeout_seconds: 0.1 },
          "has not answered for 0.3 seconds: no connection or no timely answer"
        ],
        ["/gone", {}, "answers with status 404"],
        [
          "/moved",
          {},
          `redirects to ${inside.url}/secret, and redirections are not followed: set url to where it leads`
        ],
        ["/large", { max_bytes: 2048 }, "has more than max_bytes, 2048"],
        ["/bomb", { max_bytes: 65_536 }, "has more than max_bytes, 65536"]
      ]
      for (const [path, given, error] of cases) {
        const outcome = yield* polled({ url: here.url + path, ...given })
        assert.strictEqual(
          outcome.error,
          `in: ${error.includes("max_bytes") ? "The answer of " : ""}${here.at} ${error}`
        )
      }
      assert.deepStrictEqual(inside.seen, [])
      const refused = yield* polled({ url: here.url }, [])
      assert.match(refused.error ?? "", /^in: A run may not connect to 127.0.0.1, port \d+/)
    })
  )
})

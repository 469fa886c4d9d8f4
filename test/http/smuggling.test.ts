import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { configuration } from "../support/conf.ts"
import { memoryGateway, TestGateway } from "../support/gateway.ts"
import { eventually } from "../support/process.ts"
import { ambiguous, bodies, coded, oddParts, seeded } from "../support/smuggling.ts"
import { exchange, openSocket, parseAnswer } from "../support/socket.ts"

const Served = Layer.unwrap(
  Effect.map(configuration, ({ root, folderOf }) => {
    for (const tenant of ["mytenant", "othertenant"]) writeFileSync(join(folderOf(tenant), "whose.txt"), `of ${tenant}`)
    return memoryGateway({ conf: root })
  })
)

const port = Effect.map(TestGateway, ({ url }) => Number(new URL(url).port))

/** The request that a smuggler wants to be read. It would be answered with 204 and `Allow`. */
const hidden = "OPTIONS /v1/platform/tenant HTTP/1.1\r\nHost: a\r\n\r\n"

const statuses = (bytes: Buffer): ReadonlyArray<number> =>
  [...bytes.toString("latin1").matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status))

layer(Served, { excludeTestServices: true })("a request that proxies and servers read in different ways", (it) => {
  it.effect("is refused, with nothing read behind it", () =>
    Effect.gen(function* () {
      const to = yield* port
      yield* Effect.promise(async () => {
        for (const [what, fields] of ambiguous) {
          for (const body of bodies) {
            const head = `POST /v1/mytenant/search HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n${fields}`
            const { bytes } = await exchange(to, `${head}\r\n\r\n${body}${hidden}`)
            expect([what, body, statuses(bytes)]).toEqual([what, body, [400]])
          }
        }
      })
    })
  )

  it.effect("is refused when its body has a coding that only the chunks of another reader end", () =>
    Effect.gen(function* () {
      const to = yield* port
      const search = "/v1/mytenant/search"
      yield* Effect.promise(async () => {
        for (const [status, version, fields] of coded) {
          for (const [method, path] of [
            ["POST", search],
            ["GET", "/health/live"]
          ]) {
            const head = `${method} ${path} HTTP/${version}\r\nHost: a\r\nContent-Type: application/json\r\n${fields}`
            const answer = await exchange(to, `${head}\r\n\r\n${bodies[0]}${hidden}${hidden}`)
            expect([method, fields, statuses(answer.bytes)]).toEqual([method, fields, [status]])
            expect(answer.headers.get("connection")).toBe("close")
            const problem = JSON.parse(answer.body.toString())
            expect([problem.type, problem.status, problem.instance]).toEqual(["/problems/bad-request", status, path])
          }
        }
        const head = `POST ${search} HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nConnection: close`
        for (const spelled of ["chunked", "Chunked", " chunked "]) {
          const { body } = await exchange(to, `${head}\r\nTransfer-Encoding: ${spelled}\r\n\r\n2\r\n{}\r\n0\r\n\r\n`)
          expect(body.toString()).toMatch(/"pointer":"\/index"/)
        }
      })
    })
  )

  it.effect("is refused when its chunks are not exactly those of the standard", () =>
    Effect.gen(function* () {
      const to = yield* port
      const head =
        "POST /v1/mytenant/search HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
      const chunks = [
        "2\n{}\r\n0\r\n\r\n",
        "2\r{}\r\n0\r\n\r\n",
        "2\r\n{}\n0\r\n\r\n",
        "2\r\n{}0\r\n\r\n",
        "0x2\r\n{}\r\n0\r\n\r\n",
        "+2\r\n{}\r\n0\r\n\r\n",
        " 2\r\n{}\r\n0\r\n\r\n",
        "-2\r\n{}\r\n0\r\n\r\n",
        "ffffffffffffffffff\r\n{}\r\n0\r\n\r\n",
        "2;\n\r\n{}\r\n0\r\n\r\n",
        "2;a=\rb\r\n{}\r\n0\r\n\r\n",
        `2;${"a".repeat(64 * 1024)}\r\n{}\r\n0\r\n\r\n`
      ]
      yield* Effect.promise(async () => {
        for (const text of chunks) {
          const { bytes } = await exchange(to, `${head}${text}${hidden}`)
          const seen = statuses(bytes)
          expect([text.slice(0, 40), seen.includes(204), seen.length]).toEqual([text.slice(0, 40), false, 1])
        }
        // An extension as in the standard is passed over.
        const { bytes } = await exchange(
          to,
          `${head}2;a="b;c"\r\n{}\r\n0\r\n\r\n${hidden.replace("Host: a", "Host: a\r\nConnection: close")}`
        )
        expect(statuses(bytes)).toEqual([400, 204])
      })
    })
  )

  it.effect("is refused when it says twice where it goes or who sends it", () =>
    Effect.gen(function* () {
      const to = yield* port
      const close = "Connection: close\r\n\r\n"
      const doubled = [
        "Host: a\r\nHost: b",
        "Host: a\r\nhOST: a",
        "Host: a\r\nAuthorization: Basic YTpi\r\nauthorization: Bearer x",
        "Host: a\r\nX-API-Key: a\r\nX-Api-Key: b"
      ]
      yield* Effect.promise(async () => {
        for (const fields of doubled) {
          const answer = await exchange(to, `GET /v1/platform/tenant HTTP/1.1\r\n${fields}\r\n${close}`)
          expect([fields, answer.status]).toEqual([fields, 400])
          expect(JSON.parse(answer.body.toString()).detail).toMatch(/^The request has the header [a-z-]+ twice$/)
        }
        const withFields = (count: number) => {
          const others = Array.from({ length: count - 2 }, (_, n) => `X-${n}: a\r\n`).join("")
          return exchange(to, `GET /v1/platform/tenant HTTP/1.1\r\nHost: a\r\n${others}${close}`)
        }
        expect((await withFields(100)).status).toBe(200)
        const refused = await withFields(101)
        expect([refused.status, JSON.parse(refused.body.toString()).detail]).toEqual([
          431,
          "The request line and header exceed 16 KiB or 100 fields: shorten the URL, or omit cookies and other fields"
        ])
        for (const n of [1000, 20_000]) {
          const more = "A:b\r\n".repeat(n)
          const answer = await exchange(to, `GET /v1/platform/tenant HTTP/1.1\r\nHost: a\r\n${more}${close}`)
          expect([n, [200, 431].includes(answer.status), statuses(answer.bytes).length]).toEqual([n, true, 1])
        }
      })
    })
  )

  it.effect("gives each of several on a connection its own answer, in their order", () =>
    Effect.gen(function* () {
      const to = yield* port
      yield* Effect.promise(async () => {
        const socket = await openSocket(to)
        const paths = ["/v1/mytenant/conf/whose.txt", "/nosuch", "/v1/othertenant/conf/whose.txt"]
        socket.write(
          paths.map((path, at) => `GET ${path} HTTP/1.1\r\nHost: a\r\nX-Request-Id: p${at}\r\n\r\n`).join("")
        )
        socket.write("GET /health/live HTTP/1.0\r\nX-Request-Id: p3\r\n\r\n")
        await socket.closed
        const text = socket.received().toString("latin1")
        expect([...text.matchAll(/x-request-id: (p\d)/g)].map(([, id]) => id)).toEqual(["p0", "p1", "p2", "p3"])
        expect(text.indexOf("of mytenant")).toBeLessThan(text.indexOf("of othertenant"))
        // HTTP/1.0 keeps a connection only if it is asked to.
        const old = await openSocket(to)
        old.write("GET /health/live HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
        await eventually("it is answered", () => parseAnswer(old.received()).status === 200)
        old.write("GET /health/live HTTP/1.0\r\n\r\n")
        await old.closed
        expect(statuses(old.received())).toEqual([200, 200])
        // Neither has a chunked body in HTTP/1.0.
        const chunked = "POST /v1/mytenant/search HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
        expect(statuses((await exchange(to, chunked + hidden)).bytes).includes(204)).toBe(false)
      })
    })
  )

  it.effect("serves no tenant but the one that the path names first, however it goes on", () =>
    Effect.gen(function* () {
      const to = yield* port
      const next = seeded(15)
      yield* Effect.promise(async () => {
        for (let n = 0; n < 400; n++) {
          const middle = Array.from({ length: 1 + next(5) }, () => oddParts[next(oddParts.length)]).join("/")
          const target = `/v1/mytenant/${middle}/othertenant/conf/whose.txt`
          const form = next(4) === 0 ? `http://a${target}` : target
          const { status, body } = await exchange(to, `GET ${form} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`)
          // The absolute form is cleaned up as URLs are, by proxies and by the gateway.
          if (form !== target && status === 200) continue
          expect([target, body.includes("of othertenant")]).toEqual([target, false])
        }
        for (const target of [
          "//v1/mytenant/conf/whose.txt",
          "/v1//mytenant/conf/whose.txt",
          "/v1/./mytenant/conf/whose.txt"
        ]) {
          expect((await exchange(to, `GET ${target} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`)).status).toBe(
            404
          )
        }
      })
    })
  )
})

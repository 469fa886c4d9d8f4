import { createHash } from "node:crypto"
import { connect } from "node:net"
import { NodeHttpServer } from "@effect/platform-node"
import { expect, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import {
  HttpBody,
  HttpClient,
  HttpClientRequest,
  HttpRouter,
  HttpServer,
  HttpServerRequest,
  HttpServerRespondable,
  HttpServerResponse
} from "effect/http"
import { readForm } from "../../src/services/http/FormReader.ts"

/** Answers the content of the form, or the problem. */
const Echo = HttpRouter.add(
  "POST",
  "/form",
  Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) =>
    readForm(request, {
      parts: {
        file: { limit: 100_000, limitName: "file", required: true },
        note: { limit: 10, limitName: "note", required: false },
        other: { limit: 10, limitName: "note", required: true }
      },
      maxParts: 5
    })
  ).pipe(
    Effect.map((parts) =>
      HttpServerResponse.jsonUnsafe(
        Object.fromEntries(
          [...parts].map(([name, { bytes, filename, contentType }]) => [
            name,
            { text: new TextDecoder().decode(bytes), filename, contentType }
          ])
        )
      )
    ),
    Effect.catch((problem) => HttpServerRespondable.toResponse(problem))
  )
)

const Live = HttpRouter.serve(Echo, { disableLogger: true, disableListenLog: true }).pipe(
  Layer.provideMerge(NodeHttpServer.layerTest)
)

const post = (body: FormData | string | Uint8Array, headers: Record<string, string> = {}) =>
  HttpClientRequest.post("/form").pipe(
    HttpClientRequest.setBody(
      body instanceof FormData
        ? HttpBody.formData(body)
        : HttpBody.uint8Array(Buffer.from(body), headers["content-type"])
    ),
    HttpClientRequest.setHeaders(headers),
    HttpClient.execute,
    Effect.flatMap((response) => Effect.map(response.json, (json) => ({ status: response.status, json })))
  )

const serverPort = Effect.map(HttpServer.HttpServer, ({ address }) => ("port" in address ? address.port : 0))

const form = (parts: ReadonlyArray<readonly [string, string | Blob, string?]>) => {
  const data = new FormData()
  for (const [name, value, filename] of parts)
    typeof value === "string" ? data.append(name, value) : data.append(name, value, filename ?? "blob")
  return data
}

const multipart = { "content-type": "multipart/form-data; boundary=b" } as const
const part = (name: string, text: string, more = "") =>
  `--b\r\nContent-Disposition: form-data; name="${name}"\r\n${more}\r\n${text}\r\n`
const whole = (...parts: ReadonlyArray<string>) => `${parts.join("")}--b--\r\n`
const sha256 = (text: string) => `sha-256=:${createHash("sha256").update(text).digest("base64")}:`

layer(Live)("multipart forms", (it) => {
  it.effect("takes files and text fields alike and keeps a JSON file a file", () =>
    Effect.gen(function* () {
      const { status, json } = yield* post(
        form([
          ["file", new Blob(['{"a":1}'], { type: "application/json" }), "../../a.json"],
          ["other", "text"]
        ])
      )
      expect(status).toBe(200)
      expect(json).toEqual({
        file: { text: '{"a":1}', filename: "../../a.json", contentType: "application/json" },
        other: { text: "text", contentType: "text/plain" }
      })
    })
  )

  it.effect("names every missing and doubled part at once", () =>
    Effect.gen(function* () {
      const { status, json } = yield* post(
        form([
          ["note", "1"],
          ["note", "2"]
        ])
      )
      expect(status).toBe(400)
      expect(json).toMatchObject({
        type: "/problems/bad-request",
        issues: [
          { part: "file", detail: "the part is missing" },
          { part: "note", detail: "the part was sent more than once" },
          { part: "other", detail: "the part is missing" }
        ]
      })
    })
  )

  it.effect.each([
    ["file", "x".repeat(100_001), { limit: "file", value: 100_000, part: "file" }],
    ["note", "x".repeat(11), { limit: "note", value: 10, part: "note" }]
  ] as const)("holds %s to its limit", ([name, text, expected]) =>
    Effect.gen(function* () {
      const { status, json } = yield* post(form([[name, text]]))
      expect(status).toBe(413)
      expect(json).toMatchObject({ type: "/problems/too-large", ...expected })
    })
  )

  it.effect("refuses other parts, whatever their size, with the part that may be meant", () =>
    Effect.gen(function* () {
      const fault = { part: "fille", detail: 'There is no "fille" here; did you mean "file"?' }
      for (const text of ["x", "x".repeat(65_537)]) {
        const { status, json } = yield* post(form([["fille", text]]))
        expect(status).toBe(400)
        expect(json).toMatchObject({ issues: expect.arrayContaining([fault]) })
      }
    })
  )

  it.effect("counts the parts", () =>
    Effect.gen(function* () {
      const { status, json } = yield* post(form(Array.from({ length: 6 }, (_, n) => [`n${n}`, "x"] as const)))
      expect(status).toBe(413)
      expect(json).toMatchObject({ limit: "parts", value: 5 })
    })
  )

  it.effect.each<[string, string, string]>([
    ["no form", "{}", "application/json"],
    ["no boundary", whole(part("file", "x")), "multipart/form-data"],
    ["an empty boundary", whole(part("file", "x")), "multipart/form-data; boundary="],
    [
      "a boundary of 10,000 characters",
      whole(part("file", "x")),
      `multipart/form-data; boundary=${"b".repeat(10_000)}`
    ],
    ["another boundary than announced", whole(part("file", "x")), "multipart/form-data; boundary=c"],
    ["no closing boundary", part("file", "x"), multipart["content-type"]],
    ["nothing at all", "", multipart["content-type"]],
    ["a part without a name", whole("--b\r\nContent-Disposition: form-data\r\n\r\nx\r\n"), multipart["content-type"]],
    ["an empty name", whole(part("", "x")), multipart["content-type"]],
    ["a header that starts with a blank", whole(part("file", "x", " folded: x\r\n")), multipart["content-type"]],
    ["a header of a mebibyte", whole(part("file", "x", `a: ${"h".repeat(1 << 20)}\r\n`)), multipart["content-type"]],
    ["bare line feeds", whole(part("file", "x")).replaceAll("\r\n", "\n"), multipart["content-type"]],
    ["a NUL in a file name", whole(part("file\0", "x")), multipart["content-type"]]
  ])("refuses %s", ([, body, contentType]) =>
    Effect.gen(function* () {
      const { status, json } = yield* post(body, { "content-type": contentType })
      expect(status).toBe(400)
      const where = expect.stringMatching(/^(header|body|file)$/)
      expect(json).toMatchObject({
        type: "/problems/bad-request",
        issues: [{ part: where, detail: expect.any(String) }]
      })
    })
  )

  it.effect("checks digests of parts and of the request", () =>
    Effect.gen(function* () {
      const good = whole(part("file", "abc", `Content-Digest: ${sha256("abc")}\r\n`), part("other", "x"))
      expect((yield* post(good, { ...multipart, "content-digest": sha256(good) })).status).toBe(200)
      const wrongPart = whole(part("file", "abc", `Repr-Digest: ${sha256("abd")}\r\n`), part("other", "x"))
      const refused = yield* post(wrongPart, { ...multipart, "repr-digest": `sha-512=:AA==:, ${sha256("x")}` })
      expect(refused.status).toBe(400)
      expect(refused.json).toMatchObject({
        issues: [
          { part: "file", detail: "repr-digest is not the SHA-256 of what was received" },
          { part: "body", detail: "repr-digest is not the SHA-256 of what was received" }
        ]
      })
    })
  )

  it.effect("finds boundaries however the body is cut", () =>
    Effect.gen(function* () {
      const text = "\r\n--\r\n--a\r\r\n-\r\n--"
      const body = Buffer.from(whole(part("file", text), part("other", "")))
      const port = yield* serverPort
      for (let size = 1; size < 40; size++) {
        const answer = yield* Effect.promise(
          () =>
            new Promise<string>((resolve, reject) => {
              const socket = connect(port, "127.0.0.1")
              let received = ""
              socket.setNoDelay(true)
              socket.on("data", (data) => {
                received += data
              })
              socket.on("end", () => resolve(received))
              socket.on("error", reject)
              socket.write(
                "POST /form HTTP/1.1\r\nhost: x\r\nconnection: close\r\ntransfer-encoding: chunked\r\n" +
                  "content-type: multipart/form-data; boundary=b\r\n\r\n"
              )
              for (let start = 0; start < body.length; start += size) {
                const piece = body.subarray(start, start + size)
                socket.write(`${piece.length.toString(16)}\r\n${piece.toString("latin1")}\r\n`, "latin1")
              }
              socket.write("0\r\n\r\n")
            })
        )
        expect(answer).toContain("200 OK")
        expect(answer).toContain(JSON.stringify(text))
      }
    })
  )

  it.effect("answers an endless upload and goes on serving", () =>
    Effect.gen(function* () {
      const port = yield* serverPort
      const answer = yield* Effect.promise(
        () =>
          new Promise<string>((resolve) => {
            const socket = connect(port, "127.0.0.1")
            let received = ""
            let open = true
            const chunk = `${(65_536).toString(16)}\r\n${"x".repeat(65_536)}\r\n`
            const pump = () => {
              while (open && socket.write(chunk));
              if (open) socket.once("drain", pump)
            }
            socket.on("data", (data) => {
              received += data
            })
            socket.on("error", () => {})
            socket.on("close", () => {
              open = false
              resolve(received)
            })
            socket.write(
              "POST /form HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n" +
                `content-type: multipart/form-data; boundary=b\r\n\r\n`
            )
            const head = '--b\r\nContent-Disposition: form-data; name="file"\r\n\r\n'
            socket.write(`${head.length.toString(16)}\r\n${head}\r\n`)
            pump()
          })
      )
      expect(answer).toContain("413")
      expect(
        (yield* post(
          form([
            ["file", "x"],
            ["other", "y"]
          ])
        )).status
      ).toBe(200)
    })
  )
})

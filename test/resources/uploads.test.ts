import { createHash } from "node:crypto"
import { readdirSync } from "node:fs"
import { join } from "node:path"
import { expect, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { eventually } from "../support/process.ts"
import { isAlive, type Running, type Site, site } from "../support/process-gateway.ts"
import { openSocket, type RawAnswer, rawRequest } from "../support/socket.ts"
import { manifestOf } from "./support.ts"

class Gateway extends Context.Service<Gateway, { readonly running: Running; readonly here: Site }>()(
  "test/resources/Gateway"
) {
  static readonly layer = Layer.effect(
    Gateway,
    Effect.flatMap(site(), (here) => Effect.promise(async () => ({ here, running: await here.start() })))
  )
}

const type = "multipart/form-data; boundary=x"
const part = (head: string, content: string) => `--x\r\n${head}\r\n\r\n${content}\r\n`
const file = (name: string, content: string, filename = "f.txt", more = "") =>
  part(`Content-Disposition: form-data; name="${name}"; filename="${filename}"${more}`, content)
const field = (name: string, content: string) => part(`Content-Disposition: form-data; name="${name}"`, content)
const end = "--x--\r\n"

let uploads = 0
/** A manifest of a new version. */
const manifest = () => manifestOf({ artifact: "zoo", version: `1.${++uploads}` })
const other = (count: number) => Array.from({ length: count }, (_, at) => field(`p${at}`, "v")).join("")

/** Bodies of an upload, with the status that each must get. */
const bodies = (): Readonly<Record<string, readonly [status: number, body: string, type?: string]>> => ({
  "as it should be": [201, file("input", "b") + file("manifest", manifest()) + end],
  "the manifest first": [201, file("manifest", manifest()) + file("input", "b") + end],
  "the manifest as a text field": [201, field("manifest", manifest()) + file("input", "b") + end],
  "JSON files typed as JSON": [
    201,
    file("manifest", manifest(), "m.json", "\r\nContent-Type: application/json") +
      file("input", "{}", "i.json", "\r\nContent-Type: application/json") +
      end
  ],
  "an empty build": [201, file("input", "") + file("manifest", manifest()) + end],
  "a build that looks like a boundary": [201, file("input", "\r\n--y--\r\n--x") + file("manifest", manifest()) + end],
  "parts that nobody asked for": [400, other(20) + file("input", "b") + file("manifest", manifest()) + end],
  "a part that nobody asked for, after the build": [
    400,
    file("input", "b") + file("manifest", manifest()) + other(1) + end
  ],
  "a preamble and an epilogue": [201, `before\r\n${file("input", "b")}${file("manifest", manifest())}${end}after`],
  "a file name in UTF-8": [201, file("input", "b", "gr\xc3\xbc\xc3\x9fe.txt") + file("manifest", manifest()) + end],
  "no build": [400, file("manifest", manifest()) + end],
  "no manifest": [400, file("input", "b") + end],
  nothing: [400, end],
  "an empty body": [400, ""],
  "the build twice": [400, file("input", "a") + file("input", "b") + file("manifest", manifest()) + end],
  "the manifest twice": [400, file("input", "b") + file("manifest", manifest()) + file("manifest", manifest()) + end],
  "a build without a file name": [400, field("input", "b") + file("manifest", manifest()) + end],
  "a file name with folders": [400, file("input", "b", "../../etc/passwd") + file("manifest", manifest()) + end],
  "a part without a name": [
    400,
    part("Content-Disposition: form-data", "v") + file("input", "b") + file("manifest", manifest()) + end
  ],
  "a part with an empty name": [400, field("", "v") + file("input", "b") + file("manifest", manifest()) + end],
  "no disposition": [
    400,
    part("Content-Type: text/plain", "v") + file("input", "b") + file("manifest", manifest()) + end
  ],
  "no end": [400, file("manifest", manifest()) + file("input", "b")],
  "an end within the build": [
    400,
    `${file("manifest", manifest())}--x\r\nContent-Disposition: form-data; name="input"; filename="f"\r\n\r\nhalf`
  ],
  "an end within a head": [400, `${file("manifest", manifest())}--x\r\nContent-Dispo`],
  "line feeds alone": [400, (file("input", "b") + file("manifest", manifest()) + end).replaceAll("\r\n", "\n")],
  "another boundary": [400, file("input", "b") + file("manifest", manifest()) + end, "multipart/form-data; boundary=y"],
  "no boundary": [400, file("input", "b") + end, "multipart/form-data"],
  "a long boundary": [400, file("input", "b") + end, `multipart/form-data; boundary=${"x".repeat(100)}`],
  "another type": [400, "{}", "application/json"],
  "a head of a mebibyte": [400, file("input", "b", "f", `\r\nX-A: ${"a".repeat(1 << 20)}`) + end],
  "too many parts": [413, other(5000) + end],
  "a manifest that is too large": [413, file("input", "b") + file("manifest", " ".repeat((1 << 20) + 1)) + end],
  "a large part that nobody asked for": [
    400,
    field("o", "a".repeat(1 << 20)) + file("input", "b") + file("manifest", manifest()) + end
  ],
  "a manifest that is a list": [400, file("input", "b") + file("manifest", "[]") + end]
})

const statusOf = (answer: RawAnswer, name: string) => {
  if (answer.status < 400) return answer.status
  expect([name, answer.headers.get("content-type")]).toEqual([name, "application/problem+json"])
  expect(answer.body.toString()).not.toMatch(/node_modules|\bat \S+ \(|MultipartError/)
  return answer.status
}

/** The tenant's blobs, including unfinished ones. */
const stored = (data: string) => {
  const below = (folder: string) => {
    try {
      return readdirSync(join(data, "blobs/mytenant", folder), { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => entry.name)
    } catch {
      return []
    }
  }
  return { blobs: below("blobs"), temporary: below("tmp") }
}

layer(Gateway.layer, { excludeTestServices: true })("uploads", (it) => {
  it.effect("are taken when they are well-formed, and refused with the reason when not; nothing half is left", () =>
    Effect.gen(function* () {
      const { running, here } = yield* Gateway
      yield* Effect.promise(async () => {
        const cases = bodies()
        for (const [name, [status, body, contentType = type]] of Object.entries(cases)) {
          const bytes = Buffer.from(body, "latin1")
          const answer = await rawRequest(
            running.port,
            "PUT",
            "/v1/mytenant/resources/upload",
            { "Content-Type": contentType },
            bytes
          )
          expect([name, statusOf(answer, name)], answer.body.toString()).toEqual([name, status])
        }
        const list = await (await fetch(`${running.url}/v1/mytenant/resources/list?artifact=zoo&all=true`)).json()
        expect(list).toHaveLength(Object.values(cases).filter(([status]) => status === 201).length)
        expect(stored(here.data).temporary).toEqual([])
        expect(isAlive(running.pid)).toBe(true)
      })
    })
  )

  it.effect("keep their bytes, however large they are and however they look", () =>
    Effect.gen(function* () {
      const { running } = yield* Gateway
      yield* Effect.promise(async () => {
        // Everything here may start a boundary, but the last part contains none.
        for (const text of ["\r\n--", "\r\n--y", "\r", "\r\n", "-", "0123456789abcdef"]) {
          const bytes = Buffer.from(text.repeat((3 << 20) / text.length), "latin1")
          const sha256 = createHash("sha256").update(bytes)
          const digest = `\r\nContent-Digest: sha-256=:${sha256.copy().digest("base64")}:`
          const [before, after] = [file("input", "", "f", digest).slice(0, -2), file("manifest", manifest()) + end]
          for (const body of [
            Buffer.concat([Buffer.from(before), bytes, Buffer.from(`\r\n${after}`)]),
            Buffer.concat([Buffer.from(file("manifest", manifest()) + before), bytes, Buffer.from(`\r\n${end}`)])
          ]) {
            const answer = await rawRequest(
              running.port,
              "PUT",
              "/v1/mytenant/resources/upload",
              { "Content-Type": type },
              body
            )
            expect([text, statusOf(answer, text)]).toEqual([text, 201])
            const { version } = JSON.parse(answer.body.toString())
            const query = `group=org.example&artifact=zoo&version=${version}`
            const read = await fetch(`${running.url}/v1/mytenant/resources/download?${query}`)
            expect(bytes.equals(Buffer.from(await read.arrayBuffer())), text).toBe(true)
          }
        }
      })
    })
  )

  it.effect("to the registry have the same rules", () =>
    Effect.gen(function* () {
      const { running } = yield* Gateway
      yield* Effect.promise(async () => {
        const cases: Readonly<Record<string, readonly [number, string]>> = {
          "the path last": [200, file("file", "b") + field("path", "zoo/a") + end],
          "the path first": [200, field("path", "zoo/b") + file("file", "b") + end],
          "the path as a file": [200, file("file", "b") + file("path", "zoo/c") + end],
          "no path": [400, file("file", "b") + end],
          "no file": [400, field("path", "zoo/d") + end],
          "two paths": [400, field("path", "zoo/d") + field("path", "zoo/e") + file("file", "b") + end],
          "two files": [400, field("path", "zoo/d") + file("file", "a") + file("file", "b") + end],
          "a path that is no UTF-8": [400, field("path", "zoo/\xff") + file("file", "b") + end],
          "a path of 100 kB": [413, field("path", "a".repeat(100_000)) + file("file", "b") + end],
          "a path that climbs": [500, field("path", "../x") + file("file", "b") + end],
          "no end": [400, field("path", "zoo/d") + file("file", "b")]
        }
        for (const [name, [status, body]] of Object.entries(cases)) {
          const answer = await rawRequest(
            running.port,
            "POST",
            "/v1/mytenant/registry",
            { "Content-Type": type },
            Buffer.from(body, "latin1")
          )
          expect([name, statusOf(answer, name)], answer.body.toString()).toEqual([name, status])
        }
        const list: ReadonlyArray<{ name: string }> = JSON.parse(
          await (await fetch(`${running.url}/v1/mytenant/registry`)).text()
        )
        expect(list.map(({ name }) => name)).toEqual(["zoo/a", "zoo/b", "zoo/c"])
      })
    })
  )

  it.effect("that break off leave nothing, wherever they do", () =>
    Effect.gen(function* () {
      const { running, here } = yield* Gateway
      yield* Effect.promise(async () => {
        const before = stored(here.data).blobs.length
        const body = file("manifest", manifestOf({ artifact: "cut" })) + file("input", "x".repeat(3 << 20)) + end
        const head = (length: number) =>
          `PUT /v1/mytenant/resources/upload HTTP/1.1\r\nHost: a\r\nContent-Type: ${type}\r\nContent-Length: ${length}\r\n\r\n`
        for (const at of [0, 50, 200, 1000, 1 << 20, 2 << 20, body.length - 20, body.length - 1]) {
          const socket = await openSocket(running.port)
          socket.write(head(body.length) + body.slice(0, at))
          // A file is opened for more than 1 MiB.
          if (at > 1 << 20) await eventually("the upload has begun", () => stored(here.data).temporary.length > 0)
          socket.socket.destroy()
          await eventually("what was begun is gone", () => stored(here.data).temporary.length === 0)
        }
        const metadata = await fetch(`${running.url}/v1/mytenant/resources/metadata?group=org.example&artifact=cut`)
        expect([metadata.status, stored(here.data).blobs.length]).toEqual([404, before])
      })
    })
  )
})

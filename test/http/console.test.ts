import { existsSync, readdirSync } from "node:fs"
import { gunzipSync, zstdDecompressSync } from "node:zlib"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { packagePath } from "../../src/drivers/Package.ts"
import { memoryGateway, raw, TestGateway } from "../support/gateway.ts"
import { rawGet } from "../support/socket.ts"

const built = packagePath("packages/console/dist")

layer(memoryGateway(), { excludeTestServices: true })("the console's files", (it) => {
  const get = (path: string, headers: Record<string, string> = {}) =>
    raw(path, { headers, redirect: "manual" }) as Effect.Effect<Response, never, TestGateway>

  it.effect("are led to by the root for browsers, which stays what it was for others", () =>
    Effect.gen(function* () {
      for (const path of ["/", "/console"]) {
        const response = yield* get(path, { accept: "text/html,application/xhtml+xml,*/*;q=0.8" })
        assert.deepStrictEqual([response.status, response.headers.get("location")], [302, "console/"])
      }
      for (const accept of ["*/*", "application/json"]) {
        const response = yield* get("/", { accept })
        assert.strictEqual(response.status, 404)
        const problem = yield* Effect.promise(() => response.json())
        assert.deepInclude(problem, { type: "/problems/not-found", kind: "route" })
      }
      const post = yield* raw("/", { method: "POST" })
      assert.strictEqual(post.status, 404)
    })
  )

  it.effect("are a page with a strict policy that is revalidated", () =>
    Effect.gen(function* () {
      const page = yield* get("/console/")
      assert.strictEqual(page.status, 200)
      const policy = page.headers.get("content-security-policy") ?? ""
      for (const part of ["default-src 'none'", "script-src 'self'", "style-src 'self'", "frame-ancestors 'none'"]) {
        assert.include(policy, part)
      }
      assert.notMatch(policy, /unsafe|nonce|\*/)
      assert.deepInclude(Object.fromEntries(page.headers), {
        "content-type": "text/html; charset=utf-8",
        "cache-control": "no-cache",
        "cross-origin-opener-policy": "same-origin",
        "referrer-policy": "no-referrer",
        "x-content-type-options": "nosniff"
      })
      assert.include(page.headers.get("permissions-policy"), "camera=()")
      const html = yield* Effect.promise(() => page.text())
      assert.notMatch(html, /<style|\sstyle=|\son\w+=|<script(?![^>]*\ssrc=)/)
      const etag = page.headers.get("etag") ?? ""
      const again = yield* get("/console/", { "if-none-match": etag })
      assert.deepStrictEqual([again.status, again.headers.get("etag")], [304, etag])
    })
  )

  it.effect("have addresses that lead to the assets from any depth", () =>
    Effect.gen(function* () {
      for (const path of ["/console/", "/console/a", "/console/a/", "/console/a/b/c"]) {
        const { url } = yield* TestGateway
        const page = yield* get(path)
        const html = yield* Effect.promise(() => page.text())
        const found = [...html.matchAll(/(?:src|href)="([^"]*\/assets\/[^"]+)"/g)].map(([, address]) => address!)
        assert.isAtLeast(found.length, 2)
        for (const address of found) {
          assert.notMatch(address, /^\//)
          const asset = yield* Effect.promise(() => fetch(new URL(address, url + path)))
          assert.strictEqual(asset.status, 200, `${address} of ${path}`)
          // Every other path is the page.
          assert.notInclude(asset.headers.get("content-type"), "html", `${address} of ${path}`)
        }
      }
    })
  )

  it.effect("are sent in the coding that a client likes, and kept for good", () =>
    Effect.gen(function* () {
      const { url } = yield* TestGateway
      const names = readdirSync(`${built}/assets`).filter((name) => /\.(js|css)$/.test(name))
      assert.isAbove(names.length, 3)
      for (const name of names) {
        const path = `/console/assets/${name}`
        const port = Number(new URL(url).port)
        const plain = yield* Effect.promise(() => rawGet(port, path))
        assert.strictEqual(plain.status, 200)
        assert.strictEqual(plain.headers.get("cache-control"), "public, max-age=31536000, immutable")
        assert.include(plain.headers.get("vary"), "Accept-Encoding")
        for (const [coding, decode] of [
          ["gzip", gunzipSync],
          ["zstd", zstdDecompressSync]
        ] as const) {
          const coded = yield* Effect.promise(() => rawGet(port, path, { "accept-encoding": coding }))
          assert.strictEqual(coded.headers.get("content-encoding"), coding)
          assert.isTrue(decode(coded.body).equals(plain.body))
          assert.isBelow(coded.body.length, plain.body.length + 32)
        }
      }
    })
  )

  it.effect("end where their folder ends", () =>
    Effect.gen(function* () {
      assert.isTrue(existsSync(`${built}/index.html`))
      const bad = [
        "nothing.js",
        "..%2Findex.html",
        "%2e%2e/index.html",
        "a%00.js",
        "index.html",
        "x/../../index.html",
        ".js"
      ]
      for (const name of bad) {
        const response = yield* get(`/console/assets/${name}`)
        assert.include([404, 200], response.status)
        const text = yield* Effect.promise(() => response.text())
        if (response.status === 404) assert.include(text, "/problems/not-found")
        // The client itself resolves dots: that is the page.
        else assert.include(text, '<div id="root">')
      }
      const post = yield* raw("/console/", { method: "POST" })
      assert.strictEqual(post.status, 405)
    })
  )
})

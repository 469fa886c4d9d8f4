import { mkdirSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { wantsHtml } from "../../src/services/documentation/Http.ts"
import { depthOf, locator } from "../../src/services/documentation/Links.ts"
import { gateway, memoryGateway, raw, TestGateway, temporaryFolder } from "../support/gateway.ts"

const files: Record<string, string> = {
  "index.md":
    "# Shop\n\n[guide](guide/first.md) ![logo](pictures/logo.svg) [up](../../x.md) [web](https://example.org/)\n",
  "guide/index.md": "# Guides\n\n[first](first.md#a-b) [home](../index.md?x=1)\n",
  "guide/first.md":
    "# First\n\n## A b!\n\n## A b!\n\n<script>alert(1)</script><img src=x onerror=alert(1)> <a href='javascript:alert(1)'>js</a>\n\n" +
    "|a|b|\n|-|-:|\n|1|2|\n\n```sh\nls\n```\n",
  "plain.html": "<h1>Plain</h1><script>alert(1)</script>",
  "both.md": "# A page",
  "both/index.md": "# A folder",
  "pictures/logo.svg": "<svg xmlns='http://www.w3.org/2000/svg'/>",
  "umlaut ö [1].md": "# Ö [x]<b>",
  "archives.md": "# The tenant's archives",
  "empty.md": "",
  "large.md": `# Large\n${"x".repeat(256 * 1024)}`
}

/** A gateway with the tenants `shop` (with pages) and `bare` (with one page that is not an index). */
const withPages = (make: (given: { readonly conf: string }) => Layer.Layer<TestGateway>) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const conf = yield* temporaryFolder
      const outside = yield* temporaryFolder
      const pages = join(conf, "tenants", "shop", "documentation")
      for (const [path, text] of Object.entries(files)) {
        mkdirSync(join(pages, path, ".."), { recursive: true })
        writeFileSync(join(pages, path), text)
      }
      writeFileSync(join(outside, "secret.md"), "# secret")
      symlinkSync(join(outside, "secret.md"), join(pages, "secret.md"))
      mkdirSync(join(conf, "tenants", "bare", "documentation", "sub"), { recursive: true })
      writeFileSync(join(conf, "tenants", "bare", "documentation", "note.md"), "Note\n\n# The *note* & more\n")
      writeFileSync(join(conf, "tenants", "bare", "documentation", "sub", "deep.md"), "# Deep")
      symlinkSync(outside, join(conf, "tenants", "bare", "documentation", "away"))
      symlinkSync("..", join(conf, "tenants", "bare", "documentation", "sub", "loop"))
      mkdirSync(join(conf, "tenants", "nothing"), { recursive: true })
      return make({ conf })
    })
  ).pipe(Layer.orDie)

const get = (path: string, accept?: string, headers: Record<string, string> = {}) =>
  Effect.gen(function* () {
    const answer = yield* raw(`/v1${path}`, { headers: { ...headers, ...(accept === undefined ? {} : { accept }) } })
    return {
      status: answer.status,
      type: answer.headers.get("content-type"),
      headers: answer.headers,
      text: yield* Effect.promise(() => answer.text())
    }
  })
const html = (path: string) => get(path, "text/html,application/xhtml+xml;q=0.9,*/*;q=0.8")

for (const [name, make] of [
  ["in memory", memoryGateway],
  ["on PostgreSQL", gateway]
] as const) {
  layer(withPages(make), { excludeTestServices: true })(`documentation ${name}`, (it) => {
    it.effect("finds a page with or without its extension, index and a slash at the end", () =>
      Effect.gen(function* () {
        for (const [path, file] of [
          ["", "index.md"],
          ["/", "index.md"],
          ["/index", "index.md"],
          ["/index.md", "index.md"],
          ["/guide", "guide/index.md"],
          ["/guide/", "guide/index.md"],
          ["/guide/index", "guide/index.md"],
          ["/guide/first", "guide/first.md"],
          ["/guide%2Ffirst.md", "guide/first.md"],
          ["/plain", "plain.html"],
          ["/both", "both.md"],
          ["/both/index", "both/index.md"],
          ["/umlaut%20%C3%B6%20%5B1%5D", "umlaut ö [1].md"],
          ["/pictures/logo.svg", "pictures/logo.svg"],
          ["/archives", "archives.md"],
          ["/empty", "empty.md"]
        ] as const) {
          const answer = yield* get(`/shop/documentation${path}`)
          expect([path, answer.status, answer.text]).toEqual([path, 200, files[file]])
        }
      })
    )

    it.effect("answers 404 for what is not there, is outside, or belongs to another tenant; 400 for what climbs", () =>
      Effect.gen(function* () {
        for (const path of ["missing", "secret", "secret.md", "note", "pictures", "guide/missing", "a".repeat(255)]) {
          const answer = yield* get(`/shop/documentation/${path}`)
          expect([path, answer.status]).toEqual([path, 404])
          expect(JSON.parse(answer.text)).toMatchObject({ type: "/problems/not-found", kind: "page", tenant: "shop" })
        }
        for (const path of ["..%2F..%2Fplatform.yaml", "guide%2F%2e%2e%2Findex.md", "a%01b", "a//b"]) {
          const answer = yield* get(`/shop/documentation/${path}`)
          expect([path, answer.status]).toEqual([path, 400])
        }
        expect((yield* get("/nobody/documentation")).status).toBe(404)
      })
    )

    it.effect("makes a list where there is no first page, with titles, own pages before the product's", () =>
      Effect.gen(function* () {
        const answer = yield* get("/bare/documentation")
        expect(answer.type).toBe("text/markdown; charset=utf-8")
        expect(answer.text).toContain("- [The \\*note\\* \\& more](note.md)\n- [Deep](sub/deep.md)\n\n## The gateway")
        expect(answer.text).toContain("(operations.md)")
        // Targets of links are not listed: names alone would reveal another tenant's content.
        expect(answer.text.split("## The gateway")[0]).not.toMatch(/secret|away|loop/)
        expect((yield* get("/bare/documentation/away")).status).toBe(404)
        expect((yield* get("/bare/documentation/sub")).text).toBe("# sub\n\n- [Deep](deep.md)\n")
        expect((yield* html("/bare/documentation")).text).toContain(
          '<a href="documentation/note.md">The *note* &amp; more</a>'
        )
        expect((yield* get("/nothing/documentation")).text).toMatch(/^# Documentation\n\n## The gateway\n/)
      })
    )

    it.effect("falls back to the product's own pages, every link of which leads somewhere", () =>
      Effect.gen(function* () {
        const { url } = yield* TestGateway
        const seen = new Set<string>()
        const waiting = [`${url}/v1/nothing/documentation`]
        for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
          const path = at.slice(url.length + 3)
          const answer = yield* html(path)
          expect([path, answer.status]).toEqual([path, 200])
          for (const [, href = ""] of answer.text.matchAll(/(?:href|src)="([^"#]*)[^"]*"/g)) {
            const target = new URL(href, at)
            target.hash = ""
            if (target.origin !== new URL(url).origin || seen.has(target.href) || href.startsWith("/")) continue
            seen.add(target.href)
            waiting.push(target.href)
          }
        }
        expect(seen.size).toBeGreaterThan(40)
      })
    )

    it.effect("renders Markdown for those who ask for HTML, without anything that could run", () =>
      Effect.gen(function* () {
        const page = yield* html("/shop/documentation/guide/first")
        expect(page.type).toBe("text/html; charset=utf-8")
        expect(page.headers.get("vary")).toContain("Accept")
        const policy = page.headers.get("content-security-policy") ?? ""
        for (const part of [
          "default-src 'none'",
          "form-action 'none'",
          "frame-ancestors 'none'",
          "sandbox allow-same-origin"
        ])
          expect(policy.split("; ")).toContain(part)
        expect(policy).not.toMatch(/script|connect|allow-(forms|popups|scripts|top)/)
        expect(page.text).toContain("<title>First</title>")
        expect(page.text).toContain('<h2 id="a-b">A b!</h2>\n<h2 id="a-b-1">A b!</h2>')
        expect(page.text).toContain('<td style="text-align:right">2</td>')
        expect(page.text).toContain('<code class="language-sh">')
        expect(page.text).not.toMatch(/<script|onerror|javascript:/)
        expect((yield* get("/shop/documentation/guide/first", "text/markdown, text/html;q=0.5")).text).toBe(
          files["guide/first.md"]
        )
        expect((yield* html("/shop/documentation/plain")).headers.get("content-security-policy")).toMatch(/^sandbox /)
        expect((yield* html("/shop/documentation/empty")).status).toBe(200)
        expect((yield* html("/shop/documentation/large")).type).toBe("text/markdown; charset=utf-8")
      })
    )

    it.effect("puts the contents of a page beside it, and the other pages", () =>
      Effect.gen(function* () {
        const { text } = yield* html("/shop/documentation/operations")
        const parts = /<nav class="contents"(.*?)<\/nav>.*<main>.*<\/main>\s*<nav class="pages"(.*?)<\/nav>/s.exec(text)
        expect(parts?.[1]).toContain('<li><a href="#start-and-stop">Start and stop</a></li>')
        expect(parts?.[2]).toMatch(
          /<a href="\.\/index\.md">Start<\/a>.*<a href="\.\/guide\/first\.md">First<\/a>.*<strong>How to<\/strong>.*<a href="\.\/how-to\/versions\.md">/s
        )
        // The gateway's own README is no page.
        expect(parts?.[2]).not.toContain("../README")
        const short = yield* html("/shop/documentation/guide/first")
        expect(short.text).not.toContain('class="contents"')
        expect(short.text).toContain('<a href="../operations.md">')
      })
    )

    it.effect("writes links so that they work from every spelling of the page's address", () =>
      Effect.gen(function* () {
        const { url } = yield* TestGateway
        for (const path of ["/documentation", "/documentation/", "/documentation/index", "/documentation/index.md"]) {
          const { text } = yield* html(`/shop${path}`)
          const from = (address: RegExp) => new URL(address.exec(text)?.[1] ?? "", `${url}/v1/shop${path}`).pathname
          expect(from(/href="([^"]*)">guide/)).toBe("/v1/shop/documentation/guide/first.md")
          expect(from(/src="([^"]*)"/)).toBe("/v1/shop/documentation/pictures/logo.svg")
          expect(text).toContain("<a>up</a>")
          expect(text).toContain('<a href="https://example.org/">web</a>')
        }
        for (const path of ["/documentation/guide", "/documentation/guide/", "/documentation/guide/index.md"]) {
          const { text } = yield* html(`/shop${path}`)
          const address = new URL(/href="([^"]*)">first/.exec(text)?.[1] ?? "", `${url}/v1/shop${path}`)
          expect(address.pathname + address.hash).toBe("/v1/shop/documentation/guide/first.md#a-b")
        }
      })
    )

    it.effect("answers conditions, HEAD and ranges", () =>
      Effect.gen(function* () {
        for (const accept of ["text/html", "*/*"]) {
          const whole = yield* get("/shop/documentation/guide", accept)
          const etag = whole.headers.get("etag") ?? ""
          const again = yield* get("/shop/documentation/guide", accept, { "if-none-match": etag })
          expect([accept, again.status, again.text]).toEqual([accept, 304, ""])
          const part = yield* get("/shop/documentation/guide", accept, { range: "bytes=2-5" })
          expect([part.status, part.text]).toEqual([206, whole.text.slice(2, 6)])
        }
        const head = yield* raw("/v1/shop/documentation/guide", { method: "HEAD" })
        expect(head.headers.get("content-length")).toBe(String(Buffer.byteLength(files["guide/index.md"]!)))
      })
    )
  })
}

describe("Accept", () => {
  it("asks for HTML only by name, and not when Markdown weighs more", () => {
    expect(["text/html", "text/html;q=0.1", "text/markdown;q=0.4, TEXT/HTML;q=0.4, */*"].map(wantsHtml)).toEqual([
      true,
      true,
      true
    ])
    expect(
      [undefined, "", "*/*", "text/*", "text/html;q=0", "text/html;q=0.5,text/markdown", "text/html;q=x"].map(wantsHtml)
    ).toEqual([false, false, false, false, false, false, false])
  })
})

describe("links", () => {
  it("are relative to the page's file and written relative to what was asked for", () => {
    const locate = locator("a/b/page.md", depthOf("/v1/t/documentation/a/b/page"))
    expect(locate("c d.md#x")).toBe("../../a/b/c%20d.md#x")
    expect(locate("../../top.md")).toBe("../../top.md")
    expect(locate("../../../out.md")).toBeUndefined()
    expect(locate("%zz")).toBeUndefined()
    expect(locate("#x")).toBe("#x")
    expect(locator("index.md", depthOf("/v1/t/documentation"))("javascript:x")).toBe("documentation/javascript%3Ax")
  })
})

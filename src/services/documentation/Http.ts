import { Effect, Stream } from "effect"
import { type HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../../Api.ts"
import { rangesOf } from "../http/Accept.ts"
import { download } from "../http/Download.ts"
import { mediaTypeOf } from "../shared/bytes/MediaType.ts"
import { TenantId } from "../shared/Tenant.ts"
import { Documentation, type Page } from "./Documentation.ts"
import { locator } from "./Links.ts"
import { Renderer, type Source } from "./Renderer.ts"

/**
 * Whether an Accept header prefers HTML to the Markdown source: it names text/html or application/xhtml+xml with a
 * weight that is not lower than that of Markdown. A wildcard alone selects the source.
 */
export const wantsHtml = (accept = ""): boolean => {
  let [html, source] = [0, 0]
  for (const { type, weight } of rangesOf(accept)) {
    if (type === "text/html" || type === "application/xhtml+xml") html = Math.max(html, weight)
    if (type === "text/markdown" || type === "text/x-markdown") source = Math.max(source, weight)
  }
  return html > 0 && html >= source
}

/** Larger pages are sent as Markdown: rendering them would block the event loop for more than half a second. */
const maxRendered = 256 * 1024
/** Number of rendered pages in the cache; the least recently used is evicted. */
const maxKept = 100

/**
 * A rendered page shows pictures, of the tenant and of whatever site it links to, and its own style; it runs, sends and
 * frames nothing. It keeps its origin, because others may not embed the gateway's pictures.
 */
const pagePolicy = [
  "default-src 'none'",
  "img-src 'self' http: https: data:",
  "style-src 'unsafe-inline'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "sandbox allow-same-origin"
].join("; ")

const encoder = new TextEncoder()

const hex = (bytes: ArrayBuffer): string =>
  Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, "0")).join("")

export const DocumentationHttp = HttpApiBuilder.group(
  Api,
  "documentation",
  Effect.fn(function* (handlers) {
    const documentation = yield* Documentation
    const renderer = yield* Renderer

    const kept = new Map<string, string>()
    const rendered = Effect.fnUntraced(function* (key: string, text: Source, navigation: Source) {
      const html = kept.get(key) ?? (yield* renderer.render(text, navigation))
      kept.delete(key)
      kept.set(key, html)
      if (kept.size > maxKept) kept.delete(kept.keys().next().value!)
      return html
    })

    /**
     * A response with a text body. Its ETag is the hash of the text, so it changes with everything that the text
     * depends on.
     */
    const textOf = Effect.fnUntraced(function* (
      request: HttpServerRequest.HttpServerRequest,
      tenant: TenantId,
      path: string,
      text: string,
      contentType: string
    ) {
      const bytes = encoder.encode(text)
      return yield* download({
        tenant,
        request,
        size: bytes.length,
        etag: hex(yield* Effect.promise(() => crypto.subtle.digest("SHA-256", bytes))),
        filename: path.slice(path.lastIndexOf("/") + 1),
        contentType,
        disposition: "inline",
        read: ({ start, end }) => Effect.succeed(Stream.succeed(bytes.subarray(start, end)))
      })
    })

    const sourceOf = (request: HttpServerRequest.HttpServerRequest, tenant: TenantId, page: Page) =>
      page._tag === "List"
        ? textOf(request, tenant, page.path, page.markdown, mediaTypeOf(page.path))
        : download({
            tenant,
            request,
            size: page.file.size,
            etag: page.file.sha256,
            lastModified: page.file.lastModified,
            filename: page.path.slice(page.path.lastIndexOf("/") + 1),
            contentType: mediaTypeOf(page.path),
            disposition: "inline",
            read: (span) => Effect.succeed(page.file.read(span))
          })

    const answer = Effect.fnUntraced(function* (
      request: HttpServerRequest.HttpServerRequest,
      tenant: TenantId,
      path: string
    ) {
      const page = yield* documentation.open(tenant, path)
      if (!page.path.endsWith(".md")) return yield* sourceOf(request, tenant, page)
      const isLong = page._tag === "File" && page.file.size > maxRendered
      if (isLong || !wantsHtml(request.headers.accept)) {
        return HttpServerResponse.setHeader(yield* sourceOf(request, tenant, page), "vary", "Accept")
      }
      const markdown =
        page._tag === "List" ? page.markdown : yield* Stream.mkString(Stream.decodeText(page.file.read()))
      const [asked = ""] = request.originalUrl.replace(/^\w+:\/\/[^/]*/, "").split("?")
      const version = page._tag === "List" ? page.markdown : page.file.sha256
      const navigation = yield* documentation.navigation(tenant)
      const html = yield* rendered(
        JSON.stringify([page.path, asked, version, navigation]),
        { markdown, locate: locator(page.path, asked) },
        { markdown: navigation, locate: locator("index.md", asked) }
      )
      const answered = yield* textOf(
        request,
        tenant,
        page.path.replace(/\.md$/, ".html"),
        html,
        "text/html; charset=utf-8"
      )
      return HttpServerResponse.setHeaders(answered, { vary: "Accept", "content-security-policy": pagePolicy })
    })

    return handlers
      .handleRaw("index", ({ params, request }) => answer(request, TenantId(params.tenant), ""))
      .handleRaw("page", ({ params, request }) => answer(request, TenantId(params.tenant), params.page))
  })
)

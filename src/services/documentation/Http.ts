import { Effect, Stream } from "effect"
import { type HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../../Api.ts"
import { rangesOf } from "../http/Accept.ts"
import { download } from "../http/Download.ts"
import { mediaTypeOf } from "../shared/bytes/MediaType.ts"
import { hexDigest } from "../shared/bytes/Sha256Digest.ts"
import { CoalescedReads } from "../shared/reads/CoalescedReads.ts"
import { TenantId } from "../shared/Tenant.ts"
import { Documentation, type Page } from "./Documentation.ts"
import { depthOf } from "./Links.ts"
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

/** Larger pages are sent as Markdown, and those that take too long to render. */
const maxRendered = 256 * 1024
/** Characters of rendered pages in the cache; the least recently used are evicted. */
const maxKept = 8 * 1024 * 1024

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

export const DocumentationHttp = HttpApiBuilder.group(
  Api,
  "documentation",
  Effect.fn(function* (handlers) {
    const documentation = yield* Documentation
    const renderer = yield* Renderer
    const reads = yield* CoalescedReads

    const kept = new Map<string, string>()
    let keptChars = 0
    const forget = (key: string) => {
      keptChars -= kept.get(key)?.length ?? 0
      kept.delete(key)
    }
    const keep = (key: string, html: string) => {
      forget(key)
      kept.set(key, html)
      keptChars += html.length
      for (const oldest of kept.keys()) {
        if (keptChars <= maxKept) break
        forget(oldest)
      }
    }
    /** A page that several ask for at once is rendered for one of them. */
    const rendered = Effect.fnUntraced(function* (key: string, tenant: TenantId, text: Source, navigation: Source) {
      const render = Effect.suspend(() => {
        const html = kept.get(key)
        return html === undefined ? renderer.render(tenant, text, navigation) : Effect.succeed(html)
      })
      const { value } = yield* reads.share(key, render)
      if (value !== undefined) keep(key, value)
      return value
    }, Effect.scoped)

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
        etag: yield* hexDigest(bytes),
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
      const asSource = Effect.map(sourceOf(request, tenant, page), HttpServerResponse.setHeader("vary", "Accept"))
      const isLong = page._tag === "File" && page.file.size > maxRendered
      if (isLong || !wantsHtml(request.headers.accept)) return yield* asSource
      const markdown =
        page._tag === "List" ? page.markdown : yield* Stream.mkString(Stream.decodeText(page.file.read()))
      const [asked = ""] = request.originalUrl.replace(/^\w+:\/\/[^/]*/, "").split("?")
      const depth = depthOf(asked)
      const version = page._tag === "List" ? page.markdown : page.file.sha256
      const navigation = yield* documentation.navigation(tenant)
      const html = yield* rendered(
        JSON.stringify([tenant, page.path, depth, version, navigation]),
        tenant,
        { markdown, file: page.path, depth },
        { markdown: navigation, file: "index.md", depth }
      )
      if (html === undefined) return yield* asSource
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

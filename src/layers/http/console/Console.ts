import { hash } from "node:crypto"
import { readFile } from "node:fs/promises"
import { extname, join } from "node:path"
import { Effect, Layer } from "effect"
import { HttpRouter, type HttpServerRequest, HttpServerRespondable, HttpServerResponse } from "effect/http"
import { packagePath } from "../../../drivers/Package.ts"
import { NotFound } from "../../../errors/NotFound.ts"
import { names } from "../../../services/shared/reads/EntityTag.ts"
import { acceptedCoding } from "../answers/Codings.ts"
import { withVary } from "../answers/Vary.ts"

/** Where `scripts/bundle-console.ts` puts the page and its assets. */
const built = packagePath("packages/console/dist")

/**
 * The page runs and loads nothing but its own files and calls nothing but this gateway. There is no exception for
 * inline scripts and styles: the page's own styles are files or constructed in its scripts.
 */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "font-src 'self'",
  "img-src 'self' data:",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'"
].join("; ")

/** The browser features that the page may use: writing to the clipboard. */
const permissions = ["camera", "display-capture", "geolocation", "microphone", "payment", "usb"]
  .map((power) => `${power}=()`)
  .join(", ")

const pageHeaders = {
  "content-security-policy": policy,
  "cross-origin-opener-policy": "same-origin",
  "permissions-policy": permissions,
  "cache-control": "no-cache"
}

/** Media types of assets by extension. Nothing else is served. */
const types = new Map([
  [".css", "text/css; charset=utf-8"],
  [".js", "text/javascript; charset=utf-8"],
  [".svg", "image/svg+xml"],
  [".woff2", "font/woff2"]
])

/** The file of an asset as it is built, or in a coding. */
const extensions = { gzip: ".gz", zstd: ".zst" } as const

const assetName = /^[\w-]+(?:\.[\w-]+)*$/

const missingBuild = new NotFound({
  kind: "page",
  id: "console",
  detail:
    "The console is not built here: install the packages for development with npm ci --include=dev, which builds it"
})

const read = (file: string) => Effect.option(Effect.tryPromise(() => readFile(join(built, file))))

/**
 * The page. Its addresses are relative, so that it works below any prefix of a proxy: each has to lead from the depth of
 * the page's own path to `/console/`.
 */
const page = Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest, rest: string) {
  const found = yield* read("index.html")
  if (found._tag === "None") return yield* HttpServerRespondable.toResponse(missingBuild)
  const depth = rest.split("/").length - 1
  const html = found.value.toString("utf8").replaceAll('="./', `="${"../".repeat(depth) || "./"}`)
  const etag = hash("sha256", html, "hex").slice(0, 32)
  const headers = { ...pageHeaders, etag: `"${etag}"` }
  if (names(request.headers["if-none-match"] ?? "", etag, true)) {
    return HttpServerResponse.empty({ status: 304, headers })
  }
  return HttpServerResponse.text(html, { contentType: "text/html; charset=utf-8", headers })
})

/** An asset. Its name changes with its content, so browsers may cache it forever. */
const asset = Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest, name: string) {
  const missing = HttpServerRespondable.toResponse(new NotFound({ kind: "page", id: `console/assets/${name}` }))
  const contentType = types.get(extname(name))
  if (contentType === undefined || !assetName.test(name)) return yield* missing
  const { coding } = acceptedCoding(request.headers["accept-encoding"])
  const coded = coding === undefined ? undefined : yield* read(`assets/${name}${extensions[coding]}`)
  const isCoded = coded?._tag === "Some"
  const found = isCoded ? coded : yield* read(`assets/${name}`)
  if (found._tag === "None") return yield* missing
  const headers = {
    "cache-control": "public, max-age=31536000, immutable",
    ...(isCoded && coding !== undefined ? { "content-encoding": coding } : {})
  }
  return withVary(HttpServerResponse.uint8Array(found.value, { contentType, headers }), "Accept-Encoding")
})

/** Relative, because only the browser knows the prefix that a proxy has removed. */
const redirect = HttpServerResponse.empty({
  status: 302,
  headers: { location: "console/", "cache-control": "no-cache" }
})

const wantsPage = (accept: string | undefined): boolean => /\btext\/html\b/i.test(accept ?? "")

/** The router gives `/console` to the same route, but relative addresses differ there. */
const below = (request: HttpServerRequest.HttpServerRequest) => {
  const path = request.url.split("?", 1)[0] ?? ""
  const rest = /^(?:\w+:\/\/[^/]*)?\/console\/(.*)$/.exec(path)?.[1]
  if (rest === undefined) return Effect.succeed(redirect)
  return rest.startsWith("assets/") ? asset(request, rest.slice("assets/".length)) : page(request, rest)
}

/**
 * `/console`: the console for browsers, static files without authentication. What it shows it reads from the API, with
 * the rights of its reader. Every path below is one of its pages, except for `/console/assets/`. `/` leads browsers there.
 */
export const layer = Layer.mergeAll(
  HttpRouter.add("GET", "/", (request) =>
    wantsPage(request.headers["accept"])
      ? Effect.succeed(withVary(redirect, "Accept"))
      : HttpServerRespondable.toResponse(new NotFound({ kind: "route" }))
  ),
  HttpRouter.add("GET", "/console/*", below)
)

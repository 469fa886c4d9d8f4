import { Context, Effect } from "effect"
import { HttpClient, HttpClientError, type HttpClientRequest, HttpClientResponse } from "effect/http"
import { encoded, hasStreams } from "./Form.ts"

/** Number of bytes of the body that have been sent so far. */
export type OnSent = (sent: number) => void

/** Called while the body of a request is sent. */
export const Progress = Context.Reference<OnSent | undefined>("flow/client/Progress", { defaultValue: () => undefined })

/** Headers of a request besides those that its endpoint declares. */
export const RequestHeaders = Context.Reference<Readonly<Record<string, string>>>("flow/client/RequestHeaders", {
  defaultValue: () => ({})
})

/** The used part of the browsers' XMLHttpRequest, whose types exist only in the DOM library. */
interface Xhr {
  responseType: string
  readonly response: unknown
  readonly status: number
  readonly upload: { onprogress?: (event: { readonly loaded: number }) => void }
  onerror?: () => void
  onabort?: () => void
  onload?: () => void
  readonly open: (method: string, url: URL) => void
  readonly setRequestHeader: (name: string, value: string) => void
  readonly getAllResponseHeaders: () => string
  readonly send: (body: FormData) => void
  readonly abort: () => void
}
const browserRequest = (globalThis as unknown as { readonly XMLHttpRequest?: new () => Xhr }).XMLHttpRequest

/** Sends a form by XMLHttpRequest, because a browser's `fetch` does not report upload progress. */
const sendByXhr = (
  Request: new () => Xhr,
  request: HttpClientRequest.HttpClientRequest,
  url: URL,
  form: FormData,
  onSent: OnSent,
  signal: AbortSignal
): Promise<Response> =>
  new Promise((resolve, reject) => {
    const xhr = new Request()
    xhr.open(request.method, url)
    for (const [name, value] of Object.entries(request.headers)) {
      // The browser sets the type of a form, with its boundary.
      if (name !== "content-type" && name !== "content-length") xhr.setRequestHeader(name, value)
    }
    xhr.responseType = "arraybuffer"
    xhr.upload.onprogress = ({ loaded }) => onSent(loaded)
    xhr.onerror = () => reject(new TypeError("The request failed"))
    xhr.onabort = () => reject(signal.reason)
    xhr.onload = () => {
      const headers = new Headers()
      for (const line of xhr.getAllResponseHeaders().trim().split("\r\n")) {
        const at = line.indexOf(":")
        if (at > 0) headers.append(line.slice(0, at), line.slice(at + 1).trim())
      }
      const body = [204, 205, 304].includes(xhr.status) ? null : (xhr.response as ArrayBuffer)
      resolve(new Response(body, { status: xhr.status, headers }))
    }
    signal.addEventListener("abort", () => xhr.abort(), { once: true })
    xhr.send(form)
  })

const send = async (
  request: HttpClientRequest.HttpClientRequest,
  url: URL,
  signal: AbortSignal,
  onSent: OnSent | undefined
): Promise<Response> => {
  const { body, method } = request
  const { "content-length": _, ...headers } = request.headers as Record<string, string>
  if (body._tag === "FormData") {
    const { formData } = body
    const streams = hasStreams(formData)
    if (!streams && onSent !== undefined && browserRequest !== undefined) {
      return sendByXhr(browserRequest, request, url, formData, onSent, signal)
    }
    if (!streams && onSent === undefined) return fetch(url, { method, headers, body: formData, signal })
    const boundary = `form-${crypto.randomUUID()}`
    headers["content-type"] = `multipart/form-data; boundary=${boundary}`
    // `duplex` is required for streams, and missing in the types of the DOM.
    const { bytes, release } = encoded(formData, boundary, onSent)
    signal.addEventListener("abort", release, { once: true })
    const init = { method, headers, body: bytes, signal, duplex: "half" as const }
    try {
      const response = await fetch(url, init)
      // Not every `fetch` releases a form when the request is refused before it was sent, or the connection fails.
      if (!response.ok) release()
      return response
    } catch (cause) {
      release()
      throw cause
    }
  }
  const bytes = body._tag === "Uint8Array" ? (body.body as Uint8Array<ArrayBuffer>) : undefined
  return fetch(url, { method, headers, signal, ...(bytes === undefined ? {} : { body: bytes }) })
}

/**
 * An `HttpClient` on the platform's `fetch`. Effect's own takes two kilobytes more in a browser, for kinds of bodies that
 * no endpoint has.
 */
export const fetchClient: HttpClient.HttpClient = HttpClient.make((request, url, signal, fiber) =>
  Effect.map(
    Effect.tryPromise({
      try: () => send(request, url, signal, fiber.getRef(Progress)),
      catch: (cause) =>
        new HttpClientError.HttpClientError({ reason: new HttpClientError.TransportError({ request, cause }) })
    }),
    (response) => HttpClientResponse.fromWeb(request, response)
  )
)

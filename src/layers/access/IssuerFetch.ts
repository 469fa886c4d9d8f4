import { request as httpRequest, type IncomingHttpHeaders } from "node:http"
import { request as httpsRequest } from "node:https"
import { Outbound } from "../../drivers/Outbound.ts"

/** Maximum size of an issuer's answer in bytes. */
const mostBytes = 1024 * 1024

interface IssuerRequest {
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  /** Refuses an answer with another status before its body is read. */
  readonly status?: number
}

interface IssuerAnswer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly bytes: Uint8Array<ArrayBuffer>
}

/** Sends a request to an issuer; the signal aborts it. Rejects with an error whose message says what is wrong. */
export type IssuerFetch = (url: string, request: IssuerRequest, signal: AbortSignal) => Promise<IssuerAnswer>

/** Reads a JSON document; the signal aborts it. Rejects with an error whose message says what is wrong. */
export type FetchJson = (url: string, signal: AbortSignal) => Promise<unknown>

/**
 * Sends requests to issuers, at the addresses to which nodes may connect. Without TLS only to those that
 * `FLOW_OUTBOUND_ALLOW` lists. Redirections are not followed.
 */
export const makeIssuerFetch = (allowed: ReadonlyArray<string>): IssuerFetch => {
  const who = "The gateway"
  const encrypted = new Outbound(allowed, { who })
  const plain = new Outbound(allowed, { who, listedOnly: true })
  return (text, { method, headers, body, status }, signal) =>
    new Promise((resolve, reject) => {
      const url = new URL(text)
      const isTls = url.protocol === "https:"
      if (!isTls && url.protocol !== "http:") throw new Error(`${text} is no https: address`)
      const request = (isTls ? httpsRequest : httpRequest)({
        ...(isTls ? encrypted : plain).connection(url),
        agent: false,
        method,
        path: url.pathname + url.search,
        headers: {
          ...headers,
          "user-agent": "flow-gateway",
          ...(body !== undefined && { "content-length": Buffer.byteLength(body) })
        },
        signal
      })
      const refuse = (reason: string): void => {
        request.destroy()
        reject(new Error(`${text} ${reason}`))
      }
      request.once("response", (response) => {
        const { statusCode = 0 } = response
        if (status !== undefined && statusCode !== status) {
          return refuse(`was answered with the status ${statusCode}, not ${status}`)
        }
        const chunks: Array<Uint8Array> = []
        let size = 0
        response.on("data", (chunk: Uint8Array) => {
          size += chunk.length
          if (size > mostBytes) refuse(`has more than ${mostBytes} bytes`)
          else chunks.push(chunk)
        })
        response.on("error", (error) => request.emit("error", error))
        response.on("end", () =>
          resolve({ status: statusCode, headers: response.headers, bytes: new Uint8Array(Buffer.concat(chunks)) })
        )
      })
      request.on("error", (error) => {
        reject(signal.aborted ? new Error(`${text} was not answered in time`) : error)
      })
      request.on("close", () => reject(new Error(`${text}: the connection was closed`)))
      request.end(body)
    })
}

const accept = "application/json, application/jwk-set+json"

/** Reads documents of issuers. */
export const makeFetchJson = (allowed: ReadonlyArray<string>): FetchJson => {
  const send = makeIssuerFetch(allowed)
  return async (url, signal) => {
    const { bytes } = await send(url, { method: "GET", headers: { accept }, status: 200 }, signal)
    try {
      return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes))
    } catch {
      throw new Error(`${url} is not JSON in UTF-8`)
    }
  }
}

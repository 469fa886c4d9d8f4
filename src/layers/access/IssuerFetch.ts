import { request as httpRequest } from "node:http"
import { request as httpsRequest } from "node:https"
import { Outbound } from "../../drivers/Outbound.ts"

/** Bytes of an issuer's document at most. */
const mostBytes = 1024 * 1024

/** Reads a JSON document, until the signal. Rejects with an error whose message says what is wrong. */
export type FetchJson = (url: string, signal: AbortSignal) => Promise<unknown>

/**
 * Reads documents of issuers, from the addresses that the nodes of runs may connect to as well. Without TLS only from
 * those that `FLOW_OUTBOUND_ALLOW` lists. Redirections are not followed.
 */
export const makeFetchJson = (allowed: ReadonlyArray<string>): FetchJson => {
  const who = "The gateway"
  const encrypted = new Outbound(allowed, { who })
  const plain = new Outbound(allowed, { who, listedOnly: true })
  return (text, signal) =>
    new Promise((resolve, reject) => {
      const url = new URL(text)
      const isTls = url.protocol === "https:"
      if (!isTls && url.protocol !== "http:") throw new Error(`${text} is no https: address`)
      const request = (isTls ? httpsRequest : httpRequest)({
        ...(isTls ? encrypted : plain).connection(url),
        agent: false,
        path: url.pathname + url.search,
        headers: { accept: "application/json, application/jwk-set+json", "user-agent": "flow-gateway" },
        signal
      })
      const refuse = (reason: string): void => {
        request.destroy()
        reject(new Error(`${text} ${reason}`))
      }
      request.once("response", (response) => {
        if (response.statusCode !== 200) return refuse(`was answered with the status ${response.statusCode}, not 200`)
        const chunks: Array<Uint8Array> = []
        let size = 0
        response.on("data", (chunk: Uint8Array) => {
          size += chunk.length
          if (size > mostBytes) refuse(`has more than ${mostBytes} bytes`)
          else chunks.push(chunk)
        })
        response.on("error", (error) => request.emit("error", error))
        response.on("end", () => {
          try {
            resolve(JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(chunks))))
          } catch {
            refuse("is not JSON in UTF-8")
          }
        })
      })
      request.on("error", (error) => {
        reject(signal.aborted ? new Error(`${text} was not answered in time`) : error)
      })
      request.on("close", () => reject(new Error(`${text}: the connection was closed`)))
      request.end()
    })
}

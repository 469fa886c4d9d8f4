import { GatewayError } from "@flow-gateway/client/light"
import { ask } from "./ask.ts"
import type { Source } from "./source.ts"

/**
 * Opens a download of which parts can be read. Only these are loaded, by `Range` requests.
 *
 * @param path below the gateway, without a leading slash: `v1/mytenant/archives/…`
 */
export const openSource = async (path: string, signal?: AbortSignal): Promise<Source> => {
  // A range request instead of HEAD, whose answers have no body and so no problem to show.
  const first = await ask(path, { headers: { range: "bytes=0-0" }, signal }, async ({ headers, body }) => {
    await body?.cancel()
    return headers
  }).catch((error: unknown) => {
    if (error instanceof GatewayError && error.status === 416) return undefined
    throw error
  })
  if (first === undefined) return { size: 0, read: () => Promise.resolve(new Uint8Array(0)) }
  const size = Number(/\/(\d+)$/.exec(first.get("content-range") ?? "")?.[1] ?? 0)
  const tag = first.get("etag")
  return {
    size,
    read: async (from, length, signal) => {
      if (length <= 0 || from >= size) return new Uint8Array(0)
      const range = `bytes=${from}-${Math.min(size, from + length) - 1}`
      const headers = { range, ...(tag !== null && { "if-match": tag }) }
      return ask(path, { headers, signal }, (response) => response.bytes())
    }
  }
}

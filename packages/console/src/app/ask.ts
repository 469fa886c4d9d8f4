import { GatewayError } from "@flow-gateway/client/light"
import { gatewayBase } from "./base.ts"
import { failureOf, refuseForeign } from "./failure.ts"
import { answering } from "./gateway.ts"
import { ofPage } from "./login.ts"

/** Options of {@link ask}. */
export interface Asking {
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal | undefined
}

/**
 * Asks the gateway for answers that the typed client would read as one JSON value: bytes, a stream, a page of a list.
 * As with every other call, a problem is an error, and a refused call waits for a login.
 *
 * @param path below the gateway, without a leading slash, with its query
 * @param read reads the result from the answer; if the connection breaks meanwhile, the gateway counts as lost
 */
export const ask = <A>(
  path: string,
  { headers, signal }: Asking,
  read: (response: Response) => A | Promise<A>
): Promise<A> =>
  answering(async () => {
    try {
      const response = await fetch(gatewayBase + path, { headers: { ...ofPage, ...headers }, signal: signal ?? null })
      if (!response.ok) throw failureOf(response, await response.json().catch(() => undefined))
      refuseForeign(response, (name) => response.headers.get(name))
      return await read(response)
    } catch (cause) {
      signal?.throwIfAborted()
      throw cause instanceof GatewayError ? cause : new GatewayError(cause)
    }
  })

import { GatewayError } from "@flow-gateway/client/light"
import { gatewayBase } from "./base.ts"
import { failureOf } from "./failure.ts"
import { answering } from "./gateway.ts"
import { ofPage } from "./login.ts"

/** What a request of {@link ask} may have. */
export interface Asking {
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal | undefined
}

/**
 * Asks the gateway for what the typed client would read as one JSON value: bytes, a stream, a page of a list. A problem is
 * an error, and a login is waited for, as with every other call.
 *
 * @param path below the gateway, without a slash at its begin, with its query
 * @param read makes of the answer what is asked for; a connection that breaks meanwhile is a lost gateway
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
      return await read(response)
    } catch (cause) {
      signal?.throwIfAborted()
      throw cause instanceof GatewayError ? cause : new GatewayError(cause)
    }
  })

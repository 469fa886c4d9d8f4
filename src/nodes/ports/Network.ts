/** A server that a node has opened. It also closes with the run. */
export interface Listener {
  /** The actual port, when 0 was requested. */
  readonly port: number
  readonly close: () => Promise<void>
}

export interface Address {
  readonly host: string
  readonly port: number
}

/** A request to a node. */
export interface IncomingRequest {
  readonly method: string
  /** The URL path without the query. */
  readonly path: string
  /** The media type without parameters, in lower case; empty when there is none. */
  readonly type: string
  /** The parameter `charset` of the media type; `utf-8` when there is none. */
  readonly charset: string
  /** The body, decompressed if it was sent as gzip. Rejects with a {@link TooLargeBody} over the limit. */
  readonly body: AsyncIterable<Uint8Array>
}

export interface Answer {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  /** Sent as `application/json`. */
  readonly body?: unknown
}

/** A body exceeds the limit of the one who reads it. */
export class TooLargeBody extends Error {}

/** The operator does not let runs connect to this address. The message is for the user. */
export class RefusedAddress extends Error {}

export interface OutgoingRequest {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly timeoutMillis: number
  readonly signal: AbortSignal
}

/** A request for something to read. `maxBytes` counts after decompression. */
interface FetchRequest extends Omit<OutgoingRequest, "body"> {
  readonly maxBytes: number
}

/** A server's response with its whole body. Names of headers are in lower case. */
export interface FetchResponse extends HttpReply {
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
}

/** A server's response. `retryAfterMillis` comes from its `Retry-After`. */
export interface HttpReply {
  readonly status: number
  readonly retryAfterMillis?: number
}

/** The sockets of a run. They are closed when the run ends. */
export interface Network {
  /**
   * Passes the bytes of each connection to `serve`; while `serve` does not read, the sender is held back. The
   * connection ends when `serve` returns. Connections over `maxConnections` are closed at once.
   */
  readonly tcp: (
    at: Address & { readonly maxConnections: number },
    serve: (bytes: AsyncIterable<Uint8Array>) => Promise<void>
  ) => Promise<Listener>
  /** Receives UDP datagrams, each with the address of its sender, who cannot be held back. */
  readonly udp: (at: Address, receive: (datagram: Uint8Array, sender: string) => void) => Promise<Listener>
  /** A request whose `serve` rejects is answered 500. */
  readonly http: (
    at: Address & { readonly maxBodyBytes: number },
    serve: (request: IncomingRequest) => Promise<Answer>
  ) => Promise<Listener>
  /**
   * Sends a POST request; rejects when there was no response, with a {@link RefusedAddress} when the connection is not
   * allowed. Redirections are not followed.
   */
  readonly post: (request: OutgoingRequest) => Promise<HttpReply>
  /** Sends a GET request in the same way. Rejects with a {@link TooLargeBody} when the body has more bytes. */
  readonly get: (request: FetchRequest) => Promise<FetchResponse>
}

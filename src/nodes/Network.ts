/** A server that a node has opened. It closes with the run, too. */
export interface Listening {
  /** The port that it really has, when 0 was asked for. */
  readonly port: number
  readonly close: () => Promise<void>
}

export interface Address {
  readonly host: string
  readonly port: number
}

/** A request to a node. */
export interface Incoming {
  readonly method: string
  /** Without the query. */
  readonly path: string
  /** The media type without parameters, in lower case; empty when there is none. */
  readonly type: string
  /** Decompressed when it was sent as gzip. Rejects with a {@link TooLargeBody} over the limit. */
  readonly body: AsyncIterable<Uint8Array>
}

export interface Answer {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  /** Sent as `application/json`. */
  readonly body?: unknown
}

/** The body of a request is over the limit that the server was opened with. */
export class TooLargeBody extends Error {}

export interface Outgoing {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly timeoutMillis: number
  readonly signal: AbortSignal
}

/** What a server said. `retryAfterMillis` is its `Retry-After`. */
export interface Reply {
  readonly status: number
  readonly retryAfterMillis?: number
}

/** Sockets of a run. Everything is closed when the run ends. */
export interface Network {
  /**
   * Hands each connection to `serve` as its bytes in order; not reading on holds the sender back. The connection ends
   * with `serve`. Connections over `maxConnections` are closed at once.
   */
  readonly tcp: (
    at: Address & { readonly maxConnections: number },
    serve: (bytes: AsyncIterable<Uint8Array>) => Promise<void>
  ) => Promise<Listening>
  /** Datagrams, as they come. There is no way to hold a sender back. */
  readonly udp: (at: Address, receive: (datagram: Uint8Array) => void) => Promise<Listening>
  /** A request whose `serve` rejects is answered 500. */
  readonly http: (
    at: Address & { readonly maxBodyBytes: number },
    serve: (request: Incoming) => Promise<Answer>
  ) => Promise<Listening>
  /** Sends a POST; rejects when no answer came. Redirections are not followed. */
  readonly post: (request: Outgoing) => Promise<Reply>
}

import { Readable } from "node:stream"
import { NodeHttpHandler, type NodeHttpHandlerOptions } from "@smithy/node-http-handler"
import { Overdue } from "../disk/FileCalls.ts"

/** Bytes per write to the connection. A connection that accepts less within a deadline counts as silent. */
const piece = 64 * 1024

/**
 * A body that is written piece by piece, with a call of `taken` for each piece that the connection requests. Node
 * reports a large buffer only when it was sent completely, and restarts its own connection timeout if any byte was sent
 * meanwhile: a server that stops reading would be detected only after twice the time.
 */
const inPieces = (body: Uint8Array, taken: () => void): Readable => {
  let at = 0
  return new Readable({
    highWaterMark: piece,
    read() {
      taken()
      this.push(at < body.length ? body.subarray(at, at + piece) : null)
      at += piece
    }
  })
}

type Handle = NodeHttpHandler["handle"]
type Request = Parameters<Handle>[0]
type Options = Parameters<Handle>[1]

/**
 * Detects silent connections. A read may pause for a slow reader, so silence is not a failure there; the reader has its
 * own deadline. For every other request silence is a failure, which is not retried, because that would multiply the
 * deadline.
 */
export class Handler extends NodeHttpHandler {
  readonly #reading: NodeHttpHandler
  /** In milliseconds. */
  readonly #silence: number

  constructor(options: NodeHttpHandlerOptions, silence: number) {
    super({ ...options, socketTimeout: silence })
    this.#reading = new NodeHttpHandler(options)
    this.#silence = silence
  }

  override async handle(request: Request, options?: Options): ReturnType<Handle> {
    try {
      if (request.method === "GET") return await this.#reading.handle(request, options)
      return await (request.body instanceof Uint8Array
        ? this.#send(request, request.body, options)
        : super.handle(request, options))
    } catch (error) {
      throw error instanceof Error && error.name === "TimeoutError" ? new Overdue(error.message) : error
    }
  }

  /** Sends a body. The silence of the server counts from the last byte that it accepted. */
  #send(request: Request, bytes: Uint8Array, options: Options): ReturnType<Handle> {
    return new Promise((resolve, reject) => {
      const control = new AbortController()
      const given = options?.abortSignal
      const abortSignal = given instanceof AbortSignal ? AbortSignal.any([given, control.signal]) : control.signal
      const timer = setTimeout(() => {
        reject(new Overdue("the storage has stopped receiving"))
        control.abort()
      }, this.#silence)
      const body = inPieces(bytes, () => timer.refresh())
      // A copy, because the request itself may be sent again.
      const sent = request.clone()
      sent.body = body
      super
        .handle(sent, { ...options, abortSignal })
        .then(resolve, reject)
        .finally(() => {
          clearTimeout(timer)
          body.destroy()
        })
    })
  }
}

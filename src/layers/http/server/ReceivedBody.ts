import type { IncomingMessage } from "node:http"
import {
  type BodyObserver,
  type BodySubscription,
  offerSubscription
} from "../../../services/shared/bytes/BodySubscription.ts"

const subscribe =
  (request: IncomingMessage) =>
  ({ chunk, end, fail }: BodyObserver): BodySubscription => {
    request.pause()
    request.on("data", chunk)
    request.on("end", end)
    request.on("error", fail)
    request.on("close", fail)
    const cancel = () => {
      request.pause()
      request.off("data", chunk)
      request.off("end", end)
      request.off("error", fail)
      request.off("close", fail)
    }
    // Events that have already happened are not emitted again.
    if (request.readableEnded) queueMicrotask(end)
    else if (request.destroyed) queueMicrotask(fail)
    return { pause: () => request.pause(), resume: () => request.resume(), cancel }
  }

/** Offers the body of a request without its stream, unless its client waits for a 100, which the stream sends. */
export const offerBody = (request: IncomingMessage): void => {
  const { expect, "content-length": length = "0", "transfer-encoding": encoding } = request.headers
  if (expect === undefined && (length !== "0" || encoding !== undefined)) offerSubscription(request, subscribe(request))
}

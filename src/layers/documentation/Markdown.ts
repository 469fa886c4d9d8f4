import { Effect, Layer } from "effect"
import { availableMemory, usualWork } from "../../drivers/UsualWork.ts"
import { Overloaded } from "../../errors/Overloaded.ts"
import { Renderer } from "../../services/documentation/Renderer.ts"
import { threadOf } from "../decoder/Helper.ts"
import { sharing } from "../decoder/SharedHelpers.ts"
import type { Task } from "./pageThread.ts"

/** Milliseconds. A page of usual texts takes less than half a second. */
const limits = { processor: 5000, wall: 60_000, memory: usualWork(availableMemory()).validationBytes }

/** Pages of one tenant that may wait for a thread. */
const mostWaiting = 16
const turns = {
  all: 2,
  each: 1,
  queue: {
    each: mostWaiting,
    full: () => new Overloaded({ detail: `${mostWaiting} pages of this tenant are already waiting to be rendered` })
  }
}

/** Renders in threads that are started on demand, because a long page would block the gateway. Tenants take turns. */
export const layer = Layer.effect(
  Renderer,
  Effect.map(sharing(threadOf<Task, string>("pages"), limits, turns, "pages"), (aThread) => ({
    render: (tenant, text, navigation) =>
      Effect.scoped(Effect.flatMap(aThread(tenant), (thread) => thread.ask([text, navigation])))
  }))
)

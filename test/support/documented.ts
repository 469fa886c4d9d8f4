import { expect } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { type Running, site } from "./process-gateway.ts"
import { isAsSaid, type Step } from "./tour.ts"

/** The address of the gateway in the documents. */
export const defaultAddress = "http://127.0.0.1:4242"

/** Removes the heartbeats of event streams: only a slow machine shows them, so no document does. */
const withoutBeats = (step: Step): Step => ({ ...step, printed: step.printed.replaceAll(": still running\n\n", "") })

export const expectAsSaid = (step: Step) =>
  expect(isAsSaid(withoutBeats(step)) ? [] : [step.commands, step.printed, `${step.documented?.text}`]).toEqual([])

/** The gateway that the documents describe. */
export class Documented extends Context.Service<Documented, Running>()("test/Documented") {
  static readonly layer = Layer.effect(
    Documented,
    Effect.flatMap(site(), (here) => Effect.promise(() => here.start()))
  )
}

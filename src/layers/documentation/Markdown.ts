import { Effect, Layer } from "effect"
import { Renderer } from "../../services/documentation/Renderer.ts"

/** What makes the pages is loaded for the first of them: many gateways never show any. */
export const layer = Layer.succeed(Renderer, {
  render: (source, locate) =>
    Effect.map(
      Effect.promise(() => import("./Page.ts")),
      ({ page }) => page(source, locate)
    )
})

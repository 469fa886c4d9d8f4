import { Effect, Layer } from "effect"
import { Renderer } from "../../services/documentation/Renderer.ts"

/** The renderer is loaded on first use, because many gateways never render a page. */
export const layer = Layer.succeed(Renderer, {
  render: (text, navigation) =>
    Effect.map(
      Effect.promise(() => import("./Page.ts")),
      ({ page }) => page(text, navigation)
    )
})

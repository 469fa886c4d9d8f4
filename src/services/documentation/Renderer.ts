import { Context, type Effect } from "effect"

/** Gets every link and picture address that is relative, and gives the one to write, or nothing when it leads nowhere. */
export type Locate = (address: string) => string | undefined

/** Turns Markdown into HTML that can do no harm. */
export class Renderer extends Context.Service<
  Renderer,
  {
    /** A whole HTML page without scripts. */
    readonly render: (markdown: string, locate: Locate) => Effect.Effect<string>
  }
>()("flow/documentation/Renderer") {}

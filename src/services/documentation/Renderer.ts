import { Context, type Effect } from "effect"

/** Maps a relative link or image address to the address to write, or to undefined when it leads nowhere. */
export type Locate = (address: string) => string | undefined

/** Renders Markdown as HTML that contains no scripts or other active content. */
export class Renderer extends Context.Service<
  Renderer,
  {
    /** A complete HTML page without scripts. */
    readonly render: (markdown: string, locate: Locate) => Effect.Effect<string>
  }
>()("flow/documentation/Renderer") {}

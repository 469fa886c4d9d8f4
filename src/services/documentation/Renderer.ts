import { Context, type Effect } from "effect"

/** Maps a relative link or image address to the address to write, or to undefined when it leads nowhere. */
export type Locate = (address: string) => string | undefined

/** Markdown whose relative addresses `locate` rewrites. */
export interface Source {
  readonly markdown: string
  readonly locate: Locate
}

/** Renders Markdown as HTML that contains no scripts or other active content. */
export class Renderer extends Context.Service<
  Renderer,
  {
    /** A complete HTML page without scripts: the text with its contents, beside the navigation. */
    readonly render: (text: Source, navigation: Source) => Effect.Effect<string>
  }
>()("flow/documentation/Renderer") {}

import { Context } from "effect"

/** Turns Markdown into HTML that can do no harm. */
export class Renderer extends Context.Service<
  Renderer,
  {
    /**
     * A whole HTML page without scripts. `locate` gets every link and picture address that is relative, and gives the
     * one to write, or nothing when it leads nowhere.
     */
    readonly render: (markdown: string, locate: (address: string) => string | undefined) => string
  }
>()("flow/documentation/Renderer") {}

import { Context, type Effect } from "effect"
import type { Overloaded } from "../../errors/Overloaded.ts"
import type { TenantId } from "../shared/Tenant.ts"

/** Markdown whose relative addresses are relative to a file, for a page at the depth of its URL: see `locator`. */
export interface Source {
  readonly markdown: string
  readonly file: string
  readonly depth: number
}

/** Renders Markdown as HTML that contains no scripts or other active content. */
export class Renderer extends Context.Service<
  Renderer,
  {
    /**
     * A complete HTML page without scripts: the text with its contents, beside the navigation. Undefined when it takes
     * too long to make.
     */
    readonly render: (
      tenant: TenantId,
      text: Source,
      navigation: Source
    ) => Effect.Effect<string | undefined, Overloaded>
  }
>()("flow/documentation/Renderer") {}

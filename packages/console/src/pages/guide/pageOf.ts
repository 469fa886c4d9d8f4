import { gatewayBase } from "../../app/base.ts"
import { readBytes } from "../../app/bytes.ts"
import { gateway } from "../../app/gateway.ts"
import { inert } from "./inert.ts"
import type { Place } from "./Markup.tsx"

/** A page as the gateway has rendered it, or its text where it does not render it. */
export interface Page {
  readonly path: string
  readonly place: Place
  /** What the page says; undefined for a text. */
  readonly content: Element | undefined
  /** Links to all pages; undefined where the gateway adds none. */
  readonly navigation: Element | undefined
  readonly text: string
}

/** Bytes of a page that are read. */
const longestPage = 4 * 1024 * 1024

/** The address of the documentation of a tenant at the gateway, with a slash at its end. */
export const rootOf = (tenant: string): string =>
  new URL(`v1/${encodeURIComponent(tenant)}/documentation/`, gatewayBase).href

/** The source of a page. */
export const readPage = async (
  tenant: string,
  path: string,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal
): Promise<string> => {
  const stream =
    path === ""
      ? await gateway.documentation.index({ params: { tenant } }, { headers, signal })
      : await gateway.documentation.page({ params: { tenant, page: path } }, { headers, signal })
  return new TextDecoder().decode(await readBytes(stream, longestPage))
}

/** Reads a page, rendered. */
export const pageOf = async (tenant: string, path: string, signal: AbortSignal): Promise<Page> => {
  const text = await readPage(tenant, path, { accept: "text/html" }, signal)
  const root = rootOf(tenant)
  const place = { root, base: path === "" ? root.replace(/\/$/, "") : root + path, current: path }
  // Markdown that is too long to be rendered, and other files.
  if (!/^\s*</.test(text)) return { path, place, content: undefined, navigation: undefined, text }
  const made = inert(text)
  const navigation = made.querySelector("body > nav.pages") ?? undefined
  const main = made.querySelector("body > main")
  // The gateway's own links are relative to the address of the request, in which the slashes of the path are encoded.
  const base = path === "" || navigation === undefined ? place.base : root + encodeURIComponent(path)
  const content = navigation === undefined || main === null ? made.body : main
  return { path, place: { ...place, base }, content, navigation, text }
}

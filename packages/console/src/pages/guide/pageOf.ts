import { gatewayBase } from "../../app/base.ts"
import { readBytes } from "../../app/bytes.ts"
import { gateway } from "../../app/gateway.ts"
import { inert } from "./inert.ts"
import type { Place } from "./Markup.tsx"

/** A page as rendered by the gateway, or its text if the gateway does not render it. */
export interface Page {
  readonly path: string
  readonly place: Place
  /** The rendered page; undefined for a text. */
  readonly content: Element | undefined
  /** Links to all pages; undefined if the gateway adds none. */
  readonly navigation: Element | undefined
  readonly text: string
}

/** Largest page in bytes that is read. */
const longestPage = 4 * 1024 * 1024

/** The address of a tenant's documentation at the gateway, with a trailing slash. */
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

/** Loads a page, rendered. */
export const pageOf = async (tenant: string, path: string, signal: AbortSignal): Promise<Page> => {
  const text = await readPage(tenant, path, { accept: "text/html" }, signal)
  const root = rootOf(tenant)
  const place = { root, base: path === "" ? root.replace(/\/$/, "") : root + path, current: path }
  // Markdown that is too long to render, and other files.
  if (!/^\s*</.test(text)) return { path, place, content: undefined, navigation: undefined, text }
  const made = inert(text)
  const navigation = made.querySelector("body > nav.pages") ?? undefined
  const main = made.querySelector("body > main")
  // The gateway's own links are relative to the requested address, in which the slashes of the path are encoded.
  const base = path === "" || navigation === undefined ? place.base : root + encodeURIComponent(path)
  const content = navigation === undefined || main === null ? made.body : main
  return { path, place: { ...place, base }, content, navigation, text }
}

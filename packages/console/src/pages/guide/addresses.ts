import { decoded } from "../../app/decoded.ts"

/** The target of an address in a page. */
export type Target =
  /** A page of the documentation: its path, and an anchor with its `#`. */
  | { readonly kind: "page"; readonly path: string; readonly hash: string }
  /** Another file of the documentation, such as a picture, with its address at the gateway. */
  | { readonly kind: "file"; readonly url: string }
  /** Another site, or a mail address. */
  | { readonly kind: "elsewhere"; readonly url: string }

/** Whether the name has an extension other than those of pages. */
const isFile = (path: string): boolean => /\.(?!md$|html$)[a-z0-9]{1,8}$/i.test(path)

/**
 * The target of an address; undefined if it leads nowhere or would run code, such as `javascript:`.
 *
 * @param base the address of the page at the gateway
 * @param root the address of the documentation, with a trailing slash
 */
export const targetOf = (address: string, base: string, root: string): Target | undefined => {
  let url: URL
  try {
    url = new URL(address, base)
  } catch {
    return undefined
  }
  if (url.protocol === "mailto:") return { kind: "elsewhere", url: url.href }
  if (url.protocol !== "http:" && url.protocol !== "https:") return undefined
  const { origin, pathname } = new URL(root)
  const isIndex = `${url.pathname}/` === pathname
  if (url.origin !== origin || !(isIndex || url.pathname.startsWith(pathname))) {
    return { kind: "elsewhere", url: url.href }
  }
  const path = isIndex ? "" : url.pathname.slice(pathname.length).split("/").map(decoded).join("/")
  return isFile(path) ? { kind: "file", url: url.href } : { kind: "page", path, hash: url.hash }
}

/** The path of a page without its optional parts: `index.md` becomes the first page, `guide.md` becomes `guide`. */
export const nameOf = (path: string): string =>
  path
    .replace(/\/$/, "")
    .replace(/(^|\/)index(\.md|\.html)?$/, "")
    .replace(/\.md$/, "")

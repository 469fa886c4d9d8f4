/** Where an address of a page leads to. */
export type Target =
  /** A page of the documentation: its path, and an anchor with its `#`. */
  | { readonly kind: "page"; readonly path: string; readonly hash: string }
  /** Another file of the documentation, such as a picture: its address at the gateway. */
  | { readonly kind: "file"; readonly url: string }
  /** Another site, or an address for mail. */
  | { readonly kind: "elsewhere"; readonly url: string }

const decoded = (part: string): string => {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

/** A name with an extension that is none of a page. */
const isFile = (path: string): boolean => /\.(?!md$|html$)[a-z0-9]{1,8}$/i.test(path)

/**
 * Where an address leads to; undefined for what leads nowhere or would be run, such as `javascript:`.
 *
 * @param base the address of the page at the gateway @param root that of the documentation, with a slash at its end
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

/** The path of a page without what is optional: `index.md` is the first page, `guide.md` is `guide`. */
export const nameOf = (path: string): string =>
  path
    .replace(/\/$/, "")
    .replace(/(^|\/)index(\.md|\.html)?$/, "")
    .replace(/\.md$/, "")

/** Joins a relative path to a folder, both without slashes at the ends. Undefined when the path leaves the root. */
const join = (folder: string, path: string): string | undefined => {
  const segments = folder === "" ? [] : folder.split("/")
  for (const segment of path.split("/")) {
    if (segment === "..") {
      if (segments.pop() === undefined) return undefined
    } else if (segment !== "." && segment !== "") segments.push(segment)
  }
  return segments.join("/")
}

const folderOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf("/")))

const decoded = (path: string): string | undefined => {
  try {
    return decodeURIComponent(path)
  } catch {
    return undefined
  }
}

/** Segments of the path of a page's URL, `/v1/{tenant}/documentation/…`, behind `documentation`. */
export const depthOf = (asked: string): number => asked.split("/").slice(4).length

/**
 * Rewrites the relative addresses of a page so that they work for every URL of the page: with or without its extension,
 * `index` or a trailing slash, and behind a proxy that adds a path prefix.
 *
 * @param file the path of the page; its addresses are relative to it @param depth that of the request's URL
 */
export const locator = (file: string, depth: number): ((address: string) => string | undefined) => {
  const top = depth === 0 ? "documentation/" : depth === 1 ? "./" : "../".repeat(depth - 1)
  return (address) => {
    const [, path = "", rest = ""] = /^([^?#]*)(.*)$/s.exec(address) ?? []
    if (path === "") return address
    const plain = decoded(path)
    const target = plain === undefined ? undefined : join(folderOf(file), plain)
    return target === undefined ? undefined : top + target.split("/").map(encodeURIComponent).join("/") + rest
  }
}

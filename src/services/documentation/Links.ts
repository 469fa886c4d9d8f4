/** Joins a relative path to a folder; nothing when it climbs out of the top. Both without a slash at the ends. */
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

/**
 * What the relative addresses in a page become, so that they work however the page was asked for: with or without its
 * extension, `index` or a slash at the end, and behind a proxy that serves the gateway below a path of its own.
 *
 * @param file the page's own path, which its addresses are relative to
 * @param asked the path of the request's URL, still encoded: `/v1/{tenant}/documentation/…`
 */
export const locator = (file: string, asked: string): ((address: string) => string | undefined) => {
  const behind = asked.split("/").slice(4)
  const top = behind.length === 0 ? "documentation/" : behind.length === 1 ? "./" : "../".repeat(behind.length - 1)
  return (address) => {
    const [, path = "", rest = ""] = /^([^?#]*)(.*)$/s.exec(address) ?? []
    if (path === "") return address
    const plain = decoded(path)
    const target = plain === undefined ? undefined : join(folderOf(file), plain)
    return target === undefined ? undefined : top + target.split("/").map(encodeURIComponent).join("/") + rest
  }
}

import { addressOf, usePath, useQuery } from "../../app/location.ts"

/**
 * What the address says of a list. What narrows the list stays in it when something of the list is opened.
 *
 * @param above the view, and what is chosen in it before anything can be opened
 */
export const useAddress = (...above: ReadonlyArray<string>) => {
  const opened = usePath().slice(1 + above.length)
  const [query, setQuery] = useQuery("q")
  const [type, setType] = useQuery("type")
  const [all, setAll] = useQuery("all")
  const to = (path: ReadonlyArray<string>, more: Readonly<Record<string, string | undefined>> = {}): string =>
    addressOf(["data", ...above, ...path], { q: query, type, all, ...more })
  /** The path that is open. */
  const path = opened.length === 0 ? undefined : opened.join("/")
  return { query, setQuery, type, setType, all, setAll, path, to }
}

export type Address = ReturnType<typeof useAddress>

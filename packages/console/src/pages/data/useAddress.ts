import { addressOf, usePath, useQuery } from "../../app/location.ts"

/**
 * The state of a list in the address. Filters stay in it when an entry is opened.
 *
 * @param above the view, and selections that precede an open entry
 */
export const useAddress = (...above: ReadonlyArray<string>) => {
  const opened = usePath().slice(1 + above.length)
  const [query, setQuery] = useQuery("q")
  const [type, setType] = useQuery("type")
  const [all, setAll] = useQuery("all")
  const to = (path: ReadonlyArray<string>, more: Readonly<Record<string, string | undefined>> = {}): string =>
    addressOf(["data", ...above, ...path], { q: query, type, all, ...more })
  /** The path of the open entry. */
  const path = opened.length === 0 ? undefined : opened.join("/")
  return { query, setQuery, type, setType, all, setAll, path, to }
}

export type Address = ReturnType<typeof useAddress>

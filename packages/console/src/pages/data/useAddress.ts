import { addressOf, useQuery } from "../../app/location.ts"

/** What narrows a list stays in the address when something of the list is opened. */
export const useAddress = (view: string) => {
  const [query, setQuery] = useQuery("q")
  const [type, setType] = useQuery("type")
  const [all, setAll] = useQuery("all")
  const to = (path: ReadonlyArray<string>, more: Readonly<Record<string, string | undefined>> = {}): string =>
    addressOf(["data", view, ...path], { q: query, type, all, ...more })
  return { query, setQuery, type, setType, all, setAll, to }
}

export type Address = ReturnType<typeof useAddress>

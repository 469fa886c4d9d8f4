import { useEffect, useMemo } from "react"
import { useAnswer } from "../../app/answer.ts"
import { gateway } from "../../app/gateway.ts"
import type { Column } from "../../parts/Table.tsx"
import { visible } from "../../parts/values.ts"
import { runs as t } from "../../texts/en.ts"

/** The names of saved flowlines by id. Loads them again when an unknown id is shown. */
export const useNames = (tenant: string, shown: ReadonlyArray<string>): ReadonlyMap<string, string> => {
  const { value, again } = useAnswer(
    tenant === "" ? undefined : (signal) => gateway.flowlines.list({ params: { tenant }, query: {} }, { signal }),
    [tenant]
  )
  const names = useMemo(
    () =>
      new Map(
        value?.map(({ id, flowline }) => {
          const { name } = flowline
          return [id, typeof name === "string" && name !== "" ? name : id]
        })
      ),
    [value]
  )
  // Flowlines of files that were run once have no name: their ids are looked up only once.
  const unknown = [...new Set(shown)].filter((id) => !names.has(id)).join(" ")
  useEffect(() => {
    if (unknown !== "") again()
  }, [unknown, again])
  return names
}

/** A column of the names of flowlines. */
export const flowlineColumn = <A extends { readonly flowlineId: string }>(
  names: ReadonlyMap<string, string>
): Column<A> => ({
  id: "flowline",
  title: t.columns.flowline,
  value: ({ flowlineId }) => names.get(flowlineId) ?? flowlineId,
  cell: ({ flowlineId }) => visible(names.get(flowlineId) ?? flowlineId),
  width: "minmax(140px, 1.4fr)"
})

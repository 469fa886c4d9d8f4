import { useEffect, useMemo, useRef } from "react"
import { listPause, useAnswer } from "../../app/answer.ts"
import { gateway } from "../../app/gateway.ts"
import type { Column } from "../../parts/Table.tsx"
import { visible } from "../../parts/values.ts"
import { runs as t } from "../../texts/en.ts"

const collator = new Intl.Collator(undefined, { numeric: true })

/** The names of saved flowlines by id, sorted by name. Loads them again when an unknown id is shown. */
export const useNames = (tenant: string, shown: ReadonlyArray<string>): ReadonlyMap<string, string> => {
  const { value, isLoading, again } = useAnswer(
    tenant === "" ? undefined : (signal) => gateway.flowlines.list({ params: { tenant }, query: {} }, { signal }),
    [tenant],
    // Asked until there is an answer.
    (last) => (last === undefined ? 5000 : undefined)
  )
  const names = useMemo(
    () =>
      new Map(
        value
          ?.map(({ id, flowline }): readonly [string, string] => {
            const { name } = flowline
            return [id, typeof name === "string" && name !== "" ? name : id]
          })
          .sort(([, one], [, other]) => collator.compare(one, other))
      ),
    [value]
  )
  // Flowlines of files that were run once have no name: their ids are looked up only once.
  const unknown = [...new Set(shown)].filter((id) => !names.has(id)).join(" ")
  const answeredAt = useRef(0)
  const sought = useRef("")
  // biome-ignore lint/correctness/useExhaustiveDependencies: the time of each answer.
  useEffect(() => {
    answeredAt.current = performance.now()
  }, [value])
  const isKnown = value !== undefined
  // Where files are run all the time, there is always an unknown one.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the same ids are not looked up for each list.
  useEffect(() => {
    // Asking again ends a question that is under way: for a long list, others would do so before each answer.
    if (unknown === "" || unknown === sought.current || !isKnown || isLoading) return undefined
    const timer = setTimeout(
      () => {
        sought.current = unknown
        again()
      },
      answeredAt.current + listPause(0)(value) - performance.now()
    )
    return () => clearTimeout(timer)
  }, [unknown, isKnown, isLoading, again])
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

import { common } from "../texts/en.ts"
import type { Column } from "./Table.tsx"
import { Time } from "./Time.tsx"

type Named<A> = Pick<Column<A>, "id" | "title"> & Partial<Pick<Column<A>, "width">>

/** The width of a time, in bold too: the chosen row of a table is bold. */
export const timeWidth = "220px"

/** A column of counts; empty if absent. */
export const countColumn = <A,>(named: Named<A>, countOf: (row: A) => number | undefined): Column<A> => ({
  width: "90px",
  ...named,
  value: countOf,
  cell: (row) => {
    const count = countOf(row)
    return count === undefined ? "" : common.count(count)
  },
  align: "end"
})

/** A column of sizes in bytes. */
export const sizeColumn = <A,>(named: Named<A>, sizeOf: (row: A) => number): Column<A> => ({
  width: "110px",
  ...named,
  value: sizeOf,
  cell: (row) => common.bytes(sizeOf(row)),
  align: "end"
})

/** A column of times, as epoch milliseconds or ISO 8601. */
export const timeColumn = <A,>(named: Named<A>, timeOf: (row: A) => string | number): Column<A> => ({
  width: `minmax(${timeWidth}, 1fr)`,
  ...named,
  value: (row) => new Date(timeOf(row)).getTime(),
  cell: (row) => <Time at={timeOf(row)} />
})

import { type ComponentProps, type ReactNode, useMemo } from "react"
import type { Listing } from "../../app/listing.ts"
import type { Column } from "../../parts/Table.tsx"
import { Tree } from "../../parts/Tree.tsx"
import { match } from "../../parts/treeRows.ts"
import { common } from "../../texts/en.ts"
import { MasterDetail } from "./MasterDetail.tsx"

/** A list of what has paths as a tree, with what is open of it. */
export const TreeMasterDetail = <A,>({
  label,
  listing,
  pathOf,
  columns,
  path,
  to,
  empty,
  ...rest
}: Pick<ComponentProps<typeof MasterDetail>, "address" | "filters" | "actions" | "open"> & {
  readonly label: string
  readonly listing: Listing<A>
  readonly pathOf: (row: A) => string
  /** Columns besides the names: a constant. */
  readonly columns: ReadonlyArray<Column<A>>
  /** Of what is open. */
  readonly path: string | undefined
  /** The address of a path; of none, that of the list alone. */
  readonly to: (path: ReadonlyArray<string>) => string
  /** What stands in place of the list while it is empty. */
  readonly empty: ReactNode
}) => {
  const rows = useMemo(() => listing.rows ?? [], [listing.rows])
  const { query } = rest.address
  const shown = useMemo(() => match(rows, pathOf, query).length, [rows, pathOf, query])
  return (
    <MasterDetail
      {...rest}
      back={to([])}
      listing={listing}
      shown={shown}
      empty={listing.rows?.length === 0 && path === undefined ? empty : undefined}
      list={
        <Tree
          label={label}
          title={common.name}
          rows={rows}
          pathOf={pathOf}
          columns={columns}
          to={(row) => to(pathOf(row).split("/"))}
          current={path}
          query={query}
        />
      }
    />
  )
}

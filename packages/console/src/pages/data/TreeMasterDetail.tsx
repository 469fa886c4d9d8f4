import { type ComponentProps, type ReactNode, useMemo } from "react"
import type { Listing } from "../../app/listing.ts"
import type { Column } from "../../parts/Table.tsx"
import { Tree } from "../../parts/Tree.tsx"
import { match } from "../../parts/treeRows.ts"
import { common } from "../../texts/en.ts"
import { MasterDetail } from "./MasterDetail.tsx"
import type { Address } from "./useAddress.ts"

/** A list of objects with paths, as a tree, beside the detail of the open one. */
export const TreeMasterDetail = <A,>({
  label,
  listing,
  pathOf,
  columns,
  address: { path, to, ...address },
  empty,
  ...rest
}: Pick<ComponentProps<typeof MasterDetail>, "filters" | "actions" | "open"> & {
  readonly label: string
  readonly listing: Listing<A>
  readonly pathOf: (row: A) => string
  /** Columns besides the names. Must be a constant. */
  readonly columns: ReadonlyArray<Column<A>>
  readonly address: Address
  /** Replaces an empty list. */
  readonly empty: ReactNode
}) => {
  const rows = useMemo(() => listing.rows ?? [], [listing.rows])
  const { query } = address
  const shown = useMemo(() => match(rows, pathOf, query).length, [rows, pathOf, query])
  return (
    <MasterDetail
      {...rest}
      address={address}
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

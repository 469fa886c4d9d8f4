import type { ComponentProps, ReactNode } from "react"
import type { Answer } from "../../app/answer.ts"
import { Empty } from "../../parts/Frame.tsx"
import { Problem } from "../../parts/Problem.tsx"
import { Table } from "../../parts/Table.tsx"
import { common } from "../../texts/en.ts"
import css from "./admin.module.css"

/** A list of the tenant's objects with a button that creates one; while it is empty, it explains their purpose. */
export const TenantList = <A,>({
  answer: { value, error, again },
  empty,
  make,
  children,
  ...table
}: Omit<ComponentProps<typeof Table<A>>, "rows"> & {
  readonly answer: Answer<ReadonlyArray<A>>
  readonly empty: string
  readonly make: ReactNode
  /** Text of an empty list, below its title. */
  readonly children: ReactNode
}) => (
  <>
    <Problem error={error} again={again} />
    {value === undefined ? (
      <p className={css.waiting}>{error === undefined ? common.loading : null}</p>
    ) : value.length === 0 ? (
      <Empty title={empty}>
        {children}
        <div>{make}</div>
      </Empty>
    ) : (
      <>
        <div className={css.tools}>{make}</div>
        <Table rows={value} {...table} />
      </>
    )}
  </>
)

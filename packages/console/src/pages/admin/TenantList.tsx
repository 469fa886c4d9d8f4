import type { ComponentProps, ReactNode } from "react"
import type { Answer } from "../../app/answer.ts"
import { Empty } from "../../parts/Frame.tsx"
import { Problem } from "../../parts/Problem.tsx"
import { Table } from "../../parts/Table.tsx"
import { common } from "../../texts/en.ts"
import css from "./admin.module.css"

/** What a tenant has of something, with the button that makes one more, or what it is for while there is none. */
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
  /** What an empty list says below its title. */
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

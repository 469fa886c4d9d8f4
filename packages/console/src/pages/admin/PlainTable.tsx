import type { ReactNode } from "react"
import css from "./admin.module.css"

/** A table that is small enough to be rendered whole. In a narrow window it scrolls, by keyboard too. */
export const PlainTable = ({
  label,
  columns,
  children
}: {
  readonly label: string
  readonly columns: ReadonlyArray<{ readonly title: string; readonly isNumber?: boolean }>
  /** Its rows. */
  readonly children: ReactNode
}) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls by keyboard where the window is narrow.
  <section className={css.scrolled} tabIndex={0} aria-label={label}>
    <table className={css.rows}>
      <thead>
        <tr>
          {columns.map(({ title, isNumber }) => (
            <th key={title} scope="col" className={isNumber ? css.number : undefined}>
              {title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
  </section>
)

import type { ReactNode } from "react"
import { Link } from "../app/Link.tsx"
import { useTitle } from "../app/title.ts"
import { common } from "../texts/en.ts"
import css from "./pages.module.css"
import { visible } from "./values.ts"

/** The frame of a page that scrolls: its title, what can be done, and its views. */
export const Frame = ({
  title,
  above,
  actions,
  views,
  children
}: {
  readonly title: string
  /** Where the page stands below: a link to the list that it belongs to. */
  readonly above?: { readonly title: string; readonly to: string }
  readonly actions?: ReactNode
  /** Other views of the same thing. */
  readonly views?: ReadonlyArray<{ readonly title: string; readonly to: string; readonly current: boolean }>
  readonly children: ReactNode
}) => {
  const shown = visible(title)
  useTitle(shown)
  return (
    <div className={css.frame}>
      <div className={css.frameHead}>
        <div className={css.frameTitle}>
          {above === undefined ? null : (
            <>
              <Link to={above.to}>{above.title}</Link>
              <span aria-hidden="true">/</span>
            </>
          )}
          <h1>{shown}</h1>
        </div>
        <div className={css.actions}>{actions}</div>
      </div>
      {views === undefined ? null : (
        <nav aria-label={shown} className={css.views}>
          {views.map((view) => (
            <Link key={view.to} to={view.to} current={view.current}>
              {view.title}
            </Link>
          ))}
        </nav>
      )}
      {children}
    </div>
  )
}

/** What stands in the place of a list that has nothing yet: what it is, and the one thing to do now. */
export const Empty = ({ title, children }: { readonly title: string; readonly children: ReactNode }) => (
  <div className={css.empty}>
    <h2>{title}</h2>
    {children}
  </div>
)

/** Says that an answer is on its way, unless it has failed, which a problem says. */
export const Loading = ({ error }: { readonly error: unknown }) =>
  error === undefined ? <p className={css.dim}>{common.loading}</p> : null

/** A state in a word and a colour, which never says more than the word. */
export const Badge = ({
  tone,
  children
}: {
  readonly tone: "good" | "bad" | "warn" | "busy" | "plain"
  readonly children: ReactNode
}) => <span className={`${css.badge} ${css[tone]}`}>{children}</span>

import { type ReactNode, useLayoutEffect, useRef } from "react"
import { Link } from "../app/Link.tsx"
import { useTitle } from "../app/title.ts"
import { common } from "../texts/en.ts"
import css from "./pages.module.css"
import { visible } from "./values.ts"

/** The frame of a scrolling page: its title, actions and views. */
export const Frame = ({
  title,
  above,
  actions,
  views,
  children
}: {
  readonly title: string
  /** A link to the list that the page belongs to. */
  readonly above?: { readonly title: string; readonly to: string }
  readonly actions?: ReactNode
  /** Other views of the same thing. */
  readonly views?: ReadonlyArray<{
    readonly title: string
    /** What the view shows so many of. It is no part of the page's title, which is announced. */
    readonly count?: number
    readonly to: string
    readonly current: boolean
  }>
  readonly children: ReactNode
}) => {
  const shown = visible(title)
  const nav = useRef<HTMLElement>(null)
  const at = views?.findIndex((view) => view.current) ?? 0
  const current = views?.[at]?.to
  // The first view is what is expected.
  useTitle(at > 0 ? views![at]!.title : "", shown)
  // In a narrow window only some views are in sight: the current one is among them.
  useLayoutEffect(() => {
    const link = nav.current?.querySelector("[aria-current]")?.getBoundingClientRect()
    const area = nav.current?.getBoundingClientRect()
    if (link !== undefined && area !== undefined && current !== undefined) {
      nav.current!.scrollLeft += link.left + link.width / 2 - area.left - area.width / 2
    }
  }, [current])
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
        <nav ref={nav} aria-label={shown} className={css.views}>
          {views.map((view) => (
            <Link key={view.to} to={view.to} current={view.current}>
              {view.count ? `${view.title} (${common.count(view.count)})` : view.title}
            </Link>
          ))}
        </nav>
      )}
      {children}
    </div>
  )
}

/** Replaces an empty list: explains it, and offers the next step. */
export const Empty = ({ title, children }: { readonly title: string; readonly children: ReactNode }) => (
  <div className={css.empty}>
    <h2>{title}</h2>
    {children}
  </div>
)

/** Shows that an answer is loading, unless it failed and a problem is shown. */
export const Loading = ({ error }: { readonly error: unknown }) =>
  error === undefined ? <p className={css.dim}>{common.loading}</p> : null

/** For an address that names no view of its page. */
export const NoPage = () => (
  <p role="alert" className={css.problem}>
    {common.noPage}
  </p>
)

/** A state as a word with a colour. The colour adds no information. */
export const Badge = ({
  tone,
  children
}: {
  readonly tone: "good" | "bad" | "warn" | "busy" | "plain"
  readonly children: ReactNode
}) => <span className={`${css.badge} ${css[tone]}`}>{children}</span>

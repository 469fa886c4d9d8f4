import type { MouseEvent, ReactNode } from "react"
import { go } from "./location.ts"

/** Navigates to the address of a link, unless the user asked for a new tab or window, which the browser opens. */
export const follow = (event: MouseEvent<HTMLAnchorElement>): void => {
  if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
  event.preventDefault()
  const { href } = event.currentTarget
  if (href !== location.href) go(href)
}

/** A link within the console. */
export const Link = ({
  to,
  current,
  className,
  children
}: {
  /** An address from `addressOf`. */
  readonly to: string
  /** Whether it leads to the current page. */
  readonly current?: boolean
  readonly className?: string | undefined
  readonly children: ReactNode
}) => (
  <a href={to} aria-current={current ? "page" : undefined} className={className} onClick={follow}>
    {children}
  </a>
)

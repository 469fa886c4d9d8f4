import type { ReactNode } from "react"
import css from "./pages.module.css"

/** Preformatted text. If it is too large it scrolls, by keyboard too. */
export const Code = ({
  label,
  className = "",
  children
}: {
  readonly label?: string
  readonly className?: string | undefined
  readonly children: ReactNode
}) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling area must be reachable by keyboard.
  <pre role="group" aria-label={label} tabIndex={0} className={`${css.code} ${className}`}>
    {children}
  </pre>
)

import { useEffect, useRef } from "react"
import { Link } from "../app/Link.tsx"
import { addressOf } from "../app/location.ts"
import look from "../parts/parts.module.css"
import { shell } from "../texts/en.ts"
import { type Page, pages } from "./router.tsx"
import css from "./shell.module.css"

const id = "pages"

/** The pages: side by side, or as a menu in a narrow window. */
export const Nav = ({ current }: { readonly current: Page | undefined }) => {
  const nav = useRef<HTMLElement>(null)
  // The menu has served its purpose.
  // biome-ignore lint/correctness/useExhaustiveDependencies: whenever another page is shown.
  useEffect(() => {
    if (nav.current?.matches(":popover-open")) nav.current.hidePopover()
  }, [current])
  return (
    <>
      <button type="button" className={css.menu} popoverTarget={id}>
        <span aria-hidden="true">☰ </span>
        {current?.title ?? shell.pages}
        <span className={look.hidden}>{shell.menu}</span>
      </button>
      <nav ref={nav} id={id} popover="auto" aria-label={shell.pages} className={css.nav}>
        {pages
          .filter(({ isHidden }) => isHidden !== true)
          .map((one) => (
            <Link key={one.path} to={addressOf([one.path])} current={one === current}>
              {one.title}
            </Link>
          ))}
      </nav>
    </>
  )
}

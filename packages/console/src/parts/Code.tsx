import type { ReactNode } from "react"
import { common } from "../texts/en.ts"
import { Button } from "./Button.tsx"
import block from "./code.module.css"
import { copyAndSay } from "./copy.ts"
import css from "./pages.module.css"
import { visibleLines } from "./values.ts"

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

/** A command or another text with a button that copies it. Lines are not wrapped. */
export const CopyableCode = ({
  text,
  children
}: {
  readonly text: string
  /** The shown content, if it differs from the text. */
  readonly children?: ReactNode
}) => (
  <div className={block.block}>
    <Code className={block.lines}>{children ?? visibleLines(text)}</Code>
    <Button className={block.copy!} onPress={() => void copyAndSay(text)}>
      {common.copy}
    </Button>
  </div>
)

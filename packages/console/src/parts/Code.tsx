import type { ReactNode } from "react"
import { common } from "../texts/en.ts"
import { Button } from "./Button.tsx"
import block from "./code.module.css"
import { copyAndSay } from "./copy.ts"
import css from "./pages.module.css"
import { visibleLines } from "./values.ts"

/** A text as it is, which scrolls where it is too large, by keyboard too. */
export const Code = ({
  label,
  className = "",
  children
}: {
  readonly label?: string
  readonly className?: string | undefined
  readonly children: ReactNode
}) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard has to reach it.
  <pre role="group" aria-label={label} tabIndex={0} className={`${css.code} ${className}`}>
    {children}
  </pre>
)

/** A command or another text, with a button that copies it. Its lines are not broken. */
export const CopyableCode = ({
  text,
  children
}: {
  readonly text: string
  /** What is shown of it, where that is more than the text. */
  readonly children?: ReactNode
}) => (
  <div className={block.block}>
    <Code className={block.lines}>{children ?? visibleLines(text)}</Code>
    <Button className={block.copy!} onPress={() => void copyAndSay(text)}>
      {common.copy}
    </Button>
  </div>
)

import type { ReactNode } from "react"
import { common } from "../texts/en.ts"
import { Button } from "./Button.tsx"
import { Code } from "./Code.tsx"
import block from "./code.module.css"
import { copyAndSay } from "./copy.ts"
import { visibleLines } from "./values.ts"

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

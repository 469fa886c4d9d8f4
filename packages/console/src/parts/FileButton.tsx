import { type ReactNode, useRef } from "react"
import { Button } from "./Button.tsx"
import parts from "./parts.module.css"

/** A button that opens a file chooser. */
export const FileButton = ({
  onFiles,
  multiple = false,
  accept,
  className = parts.button,
  children
}: {
  readonly onFiles: (files: ReadonlyArray<File>) => void
  readonly multiple?: boolean
  /** Media types and extensions, separated by commas. */
  readonly accept?: string
  readonly className?: string | undefined
  readonly children: ReactNode
}) => {
  const input = useRef<HTMLInputElement>(null)
  return (
    <>
      <Button className={className} onPress={() => input.current?.click()}>
        {children}
      </Button>
      <input
        ref={input}
        type="file"
        hidden
        multiple={multiple}
        accept={accept}
        onChange={({ target }) => {
          onFiles([...(target.files ?? [])])
          // Allows the same file to be chosen again.
          target.value = ""
        }}
      />
    </>
  )
}

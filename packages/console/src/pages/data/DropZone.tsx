import { type DragEvent, type ReactNode, useState } from "react"
import { data as t } from "../../texts/en.ts"
import css from "./data.module.css"

const hasFiles = ({ dataTransfer }: DragEvent): boolean => dataTransfer.types.includes("Files")

/** Accepts dropped files. */
export const DropZone = ({
  onFiles,
  children
}: {
  /** Undefined if the reader may not upload. */
  readonly onFiles: ((files: ReadonlyArray<File>) => void) | undefined
  readonly children: ReactNode
}) => {
  const [isOver, setOver] = useState(false)
  const takes = (event: DragEvent): boolean => onFiles !== undefined && hasFiles(event)
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the button that chooses files does the same by keyboard.
    <div
      className={css.zone}
      onDragOver={(event) => {
        if (!takes(event)) return
        event.preventDefault()
        setOver(true)
      }}
      onDragLeave={({ currentTarget, relatedTarget }) => {
        if (!(relatedTarget instanceof Node && currentTarget.contains(relatedTarget))) setOver(false)
      }}
      onDrop={(event) => {
        if (!takes(event)) return
        event.preventDefault()
        setOver(false)
        onFiles?.([...event.dataTransfer.files])
      }}
    >
      {children}
      {isOver ? <div className={css.drop}>{t.drop}</div> : null}
    </div>
  )
}

import { type ReactNode, useState } from "react"
import { useAnswer } from "../../app/answer.ts"
import { readBytes } from "../../app/bytes.ts"
import { common, preview as t } from "../../texts/en.ts"
import { Button } from "../Button.tsx"
import { Later } from "../Later.tsx"
import { Problem } from "../Problem.tsx"
import pages from "../pages.module.css"
import look from "../parts.module.css"
import type { PreviewedFile } from "./file.ts"
import { kindOf } from "./kinds.ts"
import css from "./preview.module.css"
import { unpacked } from "./rows.ts"

/** Bytes that are read initially, and with each request for more. */
const step = 64 * 1024
/** Maximum number of bytes of a text that are shown. */
const most = 4 * 1024 * 1024

const editor = () => import("./TextView.tsx")

/** Decodes bytes that may be cut within a character; undefined if they are not text. */
const textOf = (bytes: Uint8Array): string | undefined => {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream: true })
    return text.includes("\0") ? undefined : text
  } catch {
    return undefined
  }
}

/** Indents JSON that is a single line. */
const indented = (text: string): string | undefined => {
  if (text.trim().includes("\n")) return undefined
  try {
    return JSON.stringify(JSON.parse(text), undefined, 2)
  } catch {
    return undefined
  }
}

/** The first bytes of a file, and whether it has more. */
const beginOf = async ({ name, source, open }: PreviewedFile, length: number, signal: AbortSignal) => {
  const { isGzip } = kindOf(name)
  if (source !== undefined && !isGzip) {
    return { bytes: await source.read(0, length, signal), isCut: source.size > length, size: source.size }
  }
  const bytes = await readBytes(unpacked(open(signal), isGzip), length + 1)
  return { bytes: bytes.subarray(0, length), isCut: bytes.length > length }
}

/** The beginning of a text, with syntax highlighting. */
export const TextContent = ({
  file,
  children
}: {
  readonly file: PreviewedFile
  /** Another view of the file, if there is one. It receives whether this one shows the whole file. */
  readonly children: (isAll: boolean) => ReactNode
}) => {
  const [length, setLength] = useState(step)
  const [isAsItIs, setAsItIs] = useState(false)
  const { value, error, isLoading, again } = useAnswer((signal) => beginOf(file, length, signal), [file, length])
  // The loaded part of the file stays while more is loading.
  const [kept, setKept] = useState(value)
  if (value !== undefined && value !== kept) setKept(value)
  if (kept === undefined) {
    if (error !== undefined) return <Problem error={error} again={file.reopen ?? again} />
    return <p className={`${pages.dim} ${css.waiting}`}>{common.loading}</p>
  }
  const { bytes, isCut, size } = kept
  const text = textOf(bytes)
  const levels = text === undefined || isCut || kindOf(file.name).kind !== "json" ? undefined : indented(text)
  return (
    <>
      {error === undefined ? null : <Problem error={error} again={file.reopen ?? again} />}
      {text === undefined ? (
        <p className={pages.dim}>{t.binary}</p>
      ) : (
        <Later load={editor} props={{ name: file.name, text: isAsItIs ? text : (levels ?? text) }} />
      )}
      <div className={css.below}>
        {text !== undefined && isCut ? (
          <span className={pages.dim} role="status">
            {t.cut(bytes.length, size)}
          </span>
        ) : null}
        {text !== undefined && isCut && length < most ? (
          <Button className={look.button!} isDisabled={isLoading} onPress={() => setLength(Math.min(most, length * 4))}>
            {common.more}
          </Button>
        ) : null}
        {levels === undefined ? null : (
          <Button className={look.button!} onPress={() => setAsItIs(!isAsItIs)}>
            {isAsItIs ? t.indented : t.asItIs}
          </Button>
        )}
        {children(text !== undefined && !isCut)}
      </div>
    </>
  )
}

import { type ReactNode, useState } from "react"
import { Button } from "../../parts/Button.tsx"
import { Dialog } from "../../parts/Dialog.tsx"
import { FileButton } from "../../parts/FileButton.tsx"
import pages from "../../parts/pages.module.css"
import look from "../../parts/parts.module.css"
import { visible } from "../../parts/values.ts"
import { common, data } from "../../texts/en.ts"
import { DropZone } from "./DropZone.tsx"
import css from "./data.module.css"

const t = data.uploads

/** A file, and its name in the store. */
export interface Named {
  readonly id: number
  readonly file: File
  readonly name: string
}

let nextId = 1

/** Selects files and their names; `children` ask for further values. */
export const UploadForm = ({
  title,
  label,
  files: given,
  nameOf,
  isReady,
  start,
  close,
  children
}: {
  readonly title: string
  /** The label of the field for a file's name. */
  readonly label: (file: string) => string
  readonly files: ReadonlyArray<File>
  /** The initial name of a file. */
  readonly nameOf: (file: File) => string
  readonly isReady: boolean
  readonly start: (files: ReadonlyArray<Named>) => void
  readonly close: () => void
  readonly children: ReactNode
}) => {
  const named = (files: ReadonlyArray<File>) => files.map((file): Named => ({ id: nextId++, file, name: nameOf(file) }))
  const [files, setFiles] = useState(() => named(given))
  const add = (more: ReadonlyArray<File>) => setFiles((before) => [...before, ...named(more)])
  return (
    <Dialog title={title} close={close}>
      <DropZone onFiles={add}>
        <form
          className={pages.form}
          onSubmit={(event) => {
            event.preventDefault()
            start(files)
            close()
          }}
        >
          {children}
          {files.length === 0 ? (
            <p className={pages.dim}>{t.none}</p>
          ) : (
            <ul className={css.files}>
              {files.map(({ id, file, name }) => (
                <li key={id}>
                  <label className={pages.field}>
                    {label(visible(file.name))}
                    <input
                      value={name}
                      required
                      spellCheck={false}
                      onChange={({ target }) =>
                        setFiles(files.map((one) => (one.id === id ? { ...one, name: target.value } : one)))
                      }
                    />
                  </label>
                  <span className={pages.dim}>{common.bytes(file.size)}</span>
                  <Button
                    className={look.button!}
                    aria-label={t.leaveOut(visible(file.name))}
                    onPress={() => setFiles(files.filter((one) => one.id !== id))}
                  >
                    ×
                  </Button>
                </li>
              ))}
            </ul>
          )}
          <div className={css.bar}>
            <FileButton multiple onFiles={add}>
              {files.length === 0 ? data.choose : t.add}
            </FileButton>
            <span className={css.gap} />
            <Button className={look.button!} onPress={close}>
              {common.cancel}
            </Button>
            <button type="submit" className={look.primary} disabled={files.length === 0 || !isReady}>
              {t.start(files.length)}
            </button>
          </div>
        </form>
      </DropZone>
    </Dialog>
  )
}

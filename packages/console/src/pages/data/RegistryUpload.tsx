import { useState } from "react"
import { gateway } from "../../app/gateway.ts"
import { upload } from "../../app/upload.ts"
import pages from "../../parts/pages.module.css"
import { data } from "../../texts/en.ts"
import { enqueue } from "./queue.ts"
import { UploadForm } from "./UploadForm.tsx"

const t = data.registry

/** Uploads files to paths in the registry. */
const RegistryUpload = ({
  tenant,
  files,
  like,
  folder: begin,
  to,
  close
}: {
  readonly tenant: string
  readonly files: ReadonlyArray<File>
  readonly like?: string
  /** The initial folder. */
  readonly folder: string
  readonly to: (path: ReadonlyArray<string>) => string
  readonly close: () => void
}) => {
  const [folder, setFolder] = useState(like === undefined ? begin : "")
  const prefix = folder.replace(/^\/+|\/+$/g, "")
  return (
    <UploadForm
      title={t.uploadTitle}
      label={t.pathOf}
      files={files}
      nameOf={({ name }) => like ?? name}
      isReady
      close={close}
      start={(chosen) =>
        enqueue(
          chosen.map(({ file, name }) => {
            const path = prefix === "" ? name : `${prefix}/${name}`
            return {
              title: path,
              to: to(path.split("/")),
              file,
              send: (key, onSent) => {
                const form = new FormData()
                form.set("path", path)
                form.set("file", file, file.name)
                const address = `v1/${encodeURIComponent(tenant)}/registry`
                return upload("POST", address, form, onSent, { "idempotency-key": key })
              },
              stored: async (answer) => {
                const { version } = answer as { readonly version: number }
                const { sha256 } = await gateway.registry.metadata({ params: { tenant, path }, query: { version } })
                return sha256
              }
            }
          })
        )
      }
    >
      {like === undefined ? (
        <label className={pages.field}>
          {t.folder}
          <input value={folder} onChange={({ target }) => setFolder(target.value)} spellCheck={false} />
          <small>{t.folderHelp}</small>
        </label>
      ) : null}
    </UploadForm>
  )
}

export default RegistryUpload

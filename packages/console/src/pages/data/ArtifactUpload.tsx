import { useState } from "react"
import { upload } from "../../app/upload.ts"
import pages from "../../parts/pages.module.css"
import { common, data } from "../../texts/en.ts"
import type { Artifact } from "./Artifact.ts"
import css from "./data.module.css"
import { enqueue } from "./queue.ts"
import { UploadForm } from "./UploadForm.tsx"

const t = data.artifacts

/** The last input, as initial values of the next upload. */
let last = { group: "", version: "", type: "FILE" }

const patterns = /(?:^|\.)(?:patterns|grok)$/i

/** Derives the name of an artifact from that of a file. */
const nameOf = (file: string): string =>
  file
    .replace(/\.[^.]*$/, "")
    .replace(/[^A-Za-z0-9._-]+/g, "-")
    .replace(/^[^A-Za-z0-9]+/, "") || "artifact"

/** Uploads files as versions of artifacts. Common values are typed once. */
const ArtifactUpload = ({
  tenant,
  types,
  files,
  like,
  to,
  close
}: {
  readonly tenant: string
  readonly types: ReadonlyArray<string>
  readonly files: ReadonlyArray<File>
  /** The artifact that gets another version. */
  readonly like?: Artifact
  readonly to: (path: ReadonlyArray<string>, query?: Readonly<Record<string, string>>) => string
  readonly close: () => void
}) => {
  const guessed = files.length > 0 && files.every(({ name }) => patterns.test(name)) ? "GROK_PATTERNS" : last.type
  const [group, setGroup] = useState(like?.group ?? last.group)
  const [version, setVersion] = useState(like === undefined ? last.version : "")
  const [type, setType] = useState<string>(like?.type ?? guessed)
  const [description, setDescription] = useState(like?.description ?? "")
  const [keywords, setKeywords] = useState((like?.keywords ?? []).join(", "))
  const words = keywords
    .split(",")
    .map((word) => word.trim())
    .filter((word) => word !== "")
  return (
    <UploadForm
      title={t.uploadTitle}
      label={t.nameOf}
      files={files}
      nameOf={({ name }) => like?.artifact ?? nameOf(name)}
      isReady={group !== "" && version !== ""}
      close={close}
      start={(chosen) => {
        last = { group, version, type }
        enqueue(
          chosen.map(({ file, name: artifact }) => {
            const manifest = {
              ...{ group, artifact, version, type },
              ...(description === "" ? {} : { description }),
              ...(words.length === 0 ? {} : { keywords: words })
            }
            return {
              title: `${group}:${artifact}:${version}`,
              to: to([group, artifact], { version }),
              file,
              send: (key, onSent) => {
                const form = new FormData()
                form.set("manifest", new Blob([JSON.stringify(manifest)]), "manifest.json")
                form.set("input", file, file.name)
                const path = `v1/${encodeURIComponent(tenant)}/resources/upload`
                return upload<Artifact>("PUT", path, form, onSent, { "idempotency-key": key })
              },
              stored: async (answer) => (answer as Artifact).sha256
            }
          })
        )
      }}
    >
      <div className={css.fields}>
        <label className={pages.field}>
          {t.group}
          <input value={group} onChange={({ target }) => setGroup(target.value)} required spellCheck={false} />
          <small>{t.groupHelp}</small>
        </label>
        <label className={pages.field}>
          {common.version}
          <input value={version} onChange={({ target }) => setVersion(target.value)} required spellCheck={false} />
          <small>{t.versionHelp}</small>
        </label>
        <label className={pages.field}>
          {t.type}
          <select value={type} onChange={({ target }) => setType(target.value)}>
            {(types.length === 0 ? [type] : types).map((one) => (
              <option key={one}>{one}</option>
            ))}
          </select>
        </label>
        <label className={pages.field}>
          {t.description}
          <input value={description} onChange={({ target }) => setDescription(target.value)} />
        </label>
        <label className={pages.field}>
          {t.keywords}
          <input value={keywords} onChange={({ target }) => setKeywords(target.value)} />
          <small>{t.keywordsHelp}</small>
        </label>
      </div>
    </UploadForm>
  )
}

export default ArtifactUpload

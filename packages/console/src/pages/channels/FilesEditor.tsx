import { EditorState } from "@codemirror/state"
import type { EditorView } from "@codemirror/view"
import { useEffect, useMemo, useRef, useState } from "react"
import { useAnswer } from "../../app/answer.ts"
import { answering, gateway, isLost } from "../../app/gateway.ts"
import { useSaveKey } from "../../app/keys.ts"
import { useQuery } from "../../app/location.ts"
import { useMay } from "../../app/session.ts"
import { toast } from "../../app/toasts.ts"
import { Button } from "../../parts/Button.tsx"
import { Editor } from "../../parts/Editor.tsx"
import type { Language } from "../../parts/languages.ts"
import { Problem } from "../../parts/Problem.tsx"
import shared from "../../parts/pages.module.css"
import look from "../../parts/parts.module.css"
import { useLanguage } from "../../parts/useLanguage.ts"
import { common, channels as t } from "../../texts/en.ts"
import type { Files } from "./Channels.ts"
import { ConflictDialog } from "./ConflictDialog.tsx"
import css from "./channels.module.css"
import { areSame, type Draft, draftOf, keepDraft } from "./Draft.ts"
import { example } from "./Example.ts"
import { FileNameDialog } from "./FileNameDialog.tsx"
import { type Fault, faultsOf, marks } from "./faults.ts"

const languages: Readonly<Record<string, Language>> = {
  yaml: "yaml",
  yml: "yaml",
  json: "json",
  sql: "sql",
  js: "javascript"
}

const statusOf = (error: unknown): number | undefined => (error as { readonly status?: number } | undefined)?.status

interface Stored {
  readonly files: Files
  readonly digest: string | undefined
  readonly writable: boolean
  readonly reason?: string
}

/** The files of a channel. They are validated and saved together. */
const FilesEditor = ({
  tenant,
  channel,
  saved
}: {
  readonly tenant: string
  readonly channel: string
  /** Called when the channel has changed. */
  readonly saved: () => void
}) => {
  const may = useMay("developer")
  const [draft, setDraft] = useState<Draft | undefined>(() => draftOf(tenant, channel))
  const [chosen, choose] = useQuery("file")
  const [error, setError] = useState<unknown>()
  const [faults, setFaults] = useState<ReadonlyArray<Fault>>([])
  const [isBusy, setBusy] = useState(false)
  const [naming, setNaming] = useState<"new" | "rename">()
  const [theirs, setTheirs] = useState<Stored>()
  const view = useRef<EditorView>(undefined)
  const target = useRef<Fault>(undefined)
  const load = async (signal?: AbortSignal): Promise<Stored> => {
    try {
      return await gateway.channels.files({ params: { tenant, channel } }, signal === undefined ? {} : { signal })
    } catch (cause) {
      if (statusOf(cause) === 404) return { files: {}, digest: undefined, writable: true }
      throw cause
    }
  }
  const stored = useAnswer(load, [tenant, channel])
  // What was saved here, until it is read again: the former files must not come back meanwhile.
  const [own, setOwn] = useState<Stored>()
  // biome-ignore lint/correctness/useExhaustiveDependencies: every answer is newer.
  useEffect(() => setOwn(undefined), [stored.value])
  const there = own ?? stored.value
  const begin: Draft | undefined =
    there === undefined ? undefined : { files: there.digest === undefined ? example : there.files, base: there.digest }
  const current = draft ?? begin
  const files = current?.files ?? {}
  const names = Object.keys(files).sort()
  const file = names.includes(chosen) ? chosen : (names.find((name) => /^channel_structure\./.test(name)) ?? names[0])
  const isNew = there !== undefined && there.digest === undefined
  const isChanged = draft !== undefined && (isNew || begin === undefined || !areSame(draft.files, begin.files))
  const isBehind = draft !== undefined && there !== undefined && draft.base !== there.digest
  const mayWrite = may && there?.writable !== false
  const latest = useRef(draft)
  latest.current = draft

  const change = (next: Files, base = current?.base) => {
    const made = { files: next, base }
    setDraft(made)
    if (!keepDraft(tenant, channel, made)) toast(t.notKept)
  }
  const drop = () => {
    keepDraft(tenant, channel, undefined)
    setDraft(undefined)
    setFaults([])
    setError(undefined)
  }
  const save = async (base: string | undefined) => {
    setBusy(true)
    setError(undefined)
    try {
      const headers: Record<string, string> =
        base === undefined ? { "if-none-match": "*" } : { "if-match": `"${base}"` }
      const params = { tenant, channel }
      const made = await answering(() => gateway.channels.save({ params, payload: { files } }, { headers }))
      const typed = latest.current?.files
      drop()
      // What was typed meanwhile goes on, on top of what was saved.
      if (typed !== undefined && !areSame(typed, files)) change(typed, made.digest)
      setOwn({ files, digest: made.digest, writable: true })
      setTheirs(undefined)
      toast(made.restart.length === 0 ? t.saved(channel) : t.savedRestart(channel, made.restart.join(", ")))
      stored.again()
      saved()
    } catch (cause) {
      if (statusOf(cause) === 412) {
        try {
          setTheirs(await answering(() => load()))
        } catch (other) {
          setError(other)
        }
      } else {
        setError(cause)
        setFaults(faultsOf(cause, channel))
      }
    } finally {
      setBusy(false)
    }
  }
  const canSave = !isBusy && (isChanged || isNew)
  useSaveKey(() => {
    if (mayWrite && canSave) void save(current?.base)
  })
  const show = (fault: Fault) => {
    target.current = fault
    if (fault.file !== undefined && fault.file !== file) choose(fault.file)
    else jump()
  }
  const jump = () => {
    const [made, fault] = [view.current, target.current]
    if (made === undefined || fault?.line === undefined) return
    target.current = undefined
    const { from, to } = made.state.doc.line(Math.min(fault.line, made.state.doc.lines))
    made.dispatch({ selection: { anchor: Math.min(to, from + (fault.column ?? 1) - 1) }, scrollIntoView: true })
    made.focus()
  }
  const language = useLanguage(languages[file?.split(".").at(-1) ?? ""])
  const extensions = useMemo(
    () => [language ?? [], EditorState.readOnly.of(!mayWrite), marks(faults.filter((fault) => fault.file === file))],
    [language, mayWrite, faults, file]
  )

  if (current === undefined) {
    return stored.error === undefined ? (
      <p className={shared.dim}>{common.loading}</p>
    ) : (
      <Problem error={stored.error} again={stored.again} />
    )
  }
  return (
    <>
      {there?.writable === false ? <p className={shared.notice}>{there.reason ?? t.notWritable}</p> : null}
      {isBehind && !isNew ? (
        <p className={shared.notice} role="status">
          {t.behind}
        </p>
      ) : null}
      {faults.length === 0 ? (
        <Problem error={error} />
      ) : (
        <div role="alert" className={shared.problem}>
          <p>{t.faults(faults.length)}</p>
          <ul>
            {faults.map((fault, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: faults have no names of their own.
              <li key={at}>
                {fault.file === undefined ? null : (
                  <Button className={css.link!} onPress={() => show(fault)}>
                    {t.at(fault.file, fault.line, fault.column)}
                  </Button>
                )}{" "}
                {fault.detail}
              </li>
            ))}
          </ul>
        </div>
      )}
      <div className={css.editing}>
        <nav aria-label={t.files} className={css.fileList}>
          {names.map((name) => (
            <Button key={name} className={css.fileName!} aria-current={name === file} onPress={() => choose(name)}>
              {name}
              {begin?.files[name] === files[name] ? "" : " •"}
            </Button>
          ))}
        </nav>
        {file === undefined ? null : (
          <Editor
            key={file}
            className={css.editor!}
            value={files[file] ?? ""}
            label={file}
            extensions={extensions}
            onChange={(text) => change({ ...files, [file]: text })}
            ready={(made) => {
              view.current = made
              jump()
              return () => {
                view.current = undefined
              }
            }}
          />
        )}
      </div>
      {mayWrite ? (
        <div className={shared.actions}>
          <Button className={look.primary!} isDisabled={!canSave} onPress={() => void save(current.base)}>
            {isNew ? t.makeChannel : common.save}
          </Button>
          <Button className={look.button!} onPress={() => setNaming("new")}>
            {t.newFile}
          </Button>
          <Button className={look.button!} isDisabled={file === undefined} onPress={() => setNaming("rename")}>
            {t.rename}
          </Button>
          <Button
            className={look.button!}
            isDisabled={names.length < 2 || file === undefined}
            onPress={() => change(Object.fromEntries(Object.entries(files).filter(([name]) => name !== file)))}
          >
            {t.removeFile}
          </Button>
          <Button className={look.button!} isDisabled={!isChanged} onPress={drop}>
            {t.discard}
          </Button>
          <span role="status" className={shared.dim}>
            {isLost(error) ? t.keptHere : isChanged ? t.unsaved : ""}
          </span>
        </div>
      ) : null}
      {naming === undefined ? null : (
        <FileNameDialog
          begin={naming === "rename" ? (file ?? "") : ""}
          taken={names}
          close={() => setNaming(undefined)}
          take={(name) => {
            const rest = Object.entries(files).filter(([one]) => naming === "new" || one !== file)
            change(Object.fromEntries([...rest, [name, naming === "rename" && file !== undefined ? files[file]! : ""]]))
            choose(name)
          }}
        />
      )}
      {theirs === undefined ? null : (
        <ConflictDialog
          mine={files}
          theirs={theirs.files}
          isGone={theirs.digest === undefined}
          overwrite={() => void save(theirs.digest)}
          take={() => {
            drop()
            setTheirs(undefined)
            stored.again()
          }}
          close={() => setTheirs(undefined)}
        />
      )}
    </>
  )
}

export default FilesEditor

import { form, GatewayError } from "@flow-gateway/client/light"
import { useState } from "react"
import { answering, gateway } from "../../app/gateway.ts"
import { useMounted } from "../../app/mounted.ts"
import { useOnce } from "../../app/repeat.ts"
import { toast } from "../../app/toasts.ts"
import { messageOf } from "../../parts/Problem.tsx"
import { flowlines } from "../../texts/en.ts"
import { fileName } from "./model.ts"
import type { Format } from "./Notation.ts"
import type { Editing } from "./useEditing.ts"

const t = flowlines.edit

/**
 * Saves the text as the next version, if nobody else has saved one since; otherwise `isConflict`. A save that is repeated
 * after a lost answer makes no second version.
 */
export const useSave = ({
  tenant,
  id,
  editing,
  filename,
  format,
  hasTests,
  saved,
  made: show
}: {
  readonly tenant: string
  readonly id: string
  readonly editing: Editing
  readonly filename: string | null | undefined
  readonly format: Format
  readonly hasTests: boolean
  readonly saved: () => void
  /** Shows the flowline that a save has made. */
  readonly made: (id: string) => void
}) => {
  const [failed, setFailed] = useState<{ readonly error: unknown; readonly text: string }>()
  const [isSaving, setSaving] = useState(false)
  const [isConflict, setConflict] = useState(false)
  const [wantsTests, setWantsTests] = useState(true)
  const once = useOnce()
  const isMounted = useMounted()
  const save = async () => {
    const { text, base } = editing
    const { headers } = once([tenant, id, base, text])
    setSaving(true)
    setFailed(undefined)
    try {
      const made = await answering(() =>
        gateway.flowlines.save(
          {
            params: { tenant },
            query: { ...(id === "" ? {} : { id }), ...(hasTests && wantsTests ? { test: true } : {}) },
            payload: form({ file: [text, fileName(filename, format)] })
          },
          {
            headers: {
              ...headers,
              ...(id === "" ? {} : { "if-match": `"${id}.${base}"` })
            }
          }
        )
      )
      setConflict(false)
      // What was typed meanwhile goes on, on top of what was saved.
      const version = { version: made.version, text }
      if (id === "" && !isMounted.current) editing.moveTo(made.id, version)
      else editing.rebase(version)
      toast(t.savedNow(made.version))
      if (id === "" && isMounted.current) show(made.id)
      saved()
    } catch (error) {
      if (!isMounted.current) toast(t.leftUnsaved(messageOf(error)))
      if (error instanceof GatewayError && error.status === 412) {
        setConflict(true)
        saved()
      } else {
        setFailed({ error, text })
        // Somebody may have deleted it.
        if (error instanceof GatewayError && error.status === 404) saved()
      }
    } finally {
      setSaving(false)
    }
  }
  // The faults of another text are no faults of this one, which the page checks as it is typed.
  const failure = failed?.text === editing.text ? failed.error : undefined
  return { save, failure, isSaving, isConflict, wantsTests, setWantsTests }
}

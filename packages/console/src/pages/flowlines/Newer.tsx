import { useEffect, useState } from "react"
import type { Answer } from "../../app/answer.ts"
import { toast } from "../../app/toasts.ts"
import { Button } from "../../parts/Button.tsx"
import { Later } from "../../parts/Later.tsx"
import css from "../../parts/pages.module.css"
import look from "../../parts/parts.module.css"
import { common, flowlines } from "../../texts/en.ts"
import own from "./flowlines.module.css"
import { type Current, isGone } from "./model.ts"
import type { Editing } from "./useEditing.ts"

const t = flowlines.newer
const failed = () => toast(common.notLoaded)
const difference = () => import("./Difference.tsx").then(({ Difference }) => ({ default: Difference }))

/**
 * Shows that somebody else saved a newer version than the one that is edited here, and its changes. A user who has
 * changed nothing gets it immediately.
 */
export const Newer = ({
  tenant,
  id,
  editing,
  current,
  isConflict
}: {
  readonly tenant: string
  readonly id: string
  readonly editing: Editing
  readonly current: Answer<Current> | undefined
  /** Whether a save was refused because of it. */
  readonly isConflict: boolean
}) => {
  const [isShown, setShown] = useState(false)
  const newest = current?.value
  const isNewer = newest !== undefined && newest.version > editing.base
  const { isDirty, take } = editing
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each version.
  useEffect(() => {
    if (!isNewer || isDirty) return
    if (editing.base > 0) toast(t.taken(newest.version))
    take(newest)
  }, [newest?.version, isNewer, isDirty])
  if (isGone(current)) {
    return (
      <p role="alert" className={css.notice}>
        {t.gone}
      </p>
    )
  }
  if (!isNewer || !isDirty) return null
  return (
    <section role="alert" className={own.newer} aria-label={t.title}>
      <p>
        {isConflict ? t.refused(newest.version) : t.saved(newest.version)} {t.help(editing.base)}
      </p>
      <div className={css.actions}>
        <Button className={look.button!} onPress={() => setShown(!isShown)} aria-expanded={isShown}>
          {t.show}
        </Button>
        <Button className={look.button!} onPress={() => editing.rebase(newest)}>
          {t.mine}
        </Button>
        <Button className={look.button!} onPress={() => take(newest)}>
          {t.theirs}
        </Button>
      </div>
      {isShown ? (
        <Later load={difference} props={{ tenant, id, from: editing.base, to: newest.version }} failed={failed} />
      ) : null}
    </section>
  )
}

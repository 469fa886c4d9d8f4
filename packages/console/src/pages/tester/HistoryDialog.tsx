import { useState } from "react"
import { Button } from "../../parts/Button.tsx"
import { Dialog } from "../../parts/Dialog.tsx"
import parts from "../../parts/parts.module.css"
import { visible } from "../../parts/values.ts"
import { tester } from "../../texts/en.ts"
import type { Draft } from "./Draft.ts"
import { forget, history, type Kept } from "./Drafts.ts"
import css from "./tester.module.css"

const t = tester.historyDialog

const titleOf = ({ draft: { operator, texts: all, samples } }: Kept): string =>
  visible((all[operator].trim() || samples.trim()).split("\n", 1)[0]?.slice(0, 160) ?? "")

/** The tests made in this browser. */
const HistoryDialog = ({
  open,
  current,
  close
}: {
  readonly open: (draft: Draft) => void
  readonly current: string
  readonly close: () => void
}) => {
  const [entries, setEntries] = useState(history)
  const others = entries.filter(({ id }) => id !== current)
  const remove = (ids: ReadonlyArray<string>) => {
    for (const id of ids) forget(id)
    setEntries(history())
  }
  return (
    <Dialog title={t.title} close={close}>
      {others.length === 0 ? <p>{t.none}</p> : null}
      <ul className={css.cards}>
        {others.map((entry) => (
          <li key={entry.id} className={css.card}>
            <div className={css.panelHead}>
              <b>{entry.draft.operator}</b>
              <span className={css.help}>
                {t.when(entry.at)} · {t.lines(entry.draft.samples.split("\n").length)}
              </span>
              <span className={css.gap} />
              <Button
                className={parts.button}
                onPress={() => {
                  open(entry.draft)
                  close()
                }}
              >
                {t.open}
              </Button>
              <Button className={parts.button} onPress={() => remove([entry.id])}>
                {t.remove}
              </Button>
            </div>
            <code className={css.wrapped}>{titleOf(entry)}</code>
          </li>
        ))}
      </ul>
      {others.length === 0 ? null : (
        <Button className={parts.button} onPress={() => remove(others.map(({ id }) => id))}>
          {t.removeAll}
        </Button>
      )}
    </Dialog>
  )
}

export default HistoryDialog

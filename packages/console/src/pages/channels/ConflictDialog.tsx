import { Button } from "../../parts/Button.tsx"
import { Dialog } from "../../parts/Dialog.tsx"
import shared from "../../parts/pages.module.css"
import look from "../../parts/parts.module.css"
import { channels as t } from "../../texts/en.ts"
import type { Files } from "./Channels.ts"
import css from "./channels.module.css"
import { differing } from "./Draft.ts"

/** Somebody else has saved the channel meanwhile: shows their files beside the reader's. */
export const ConflictDialog = ({
  mine,
  theirs,
  isGone,
  overwrite,
  take,
  close
}: {
  readonly mine: Files
  readonly theirs: Files
  /** Whether the channel was deleted. */
  readonly isGone: boolean
  readonly overwrite: () => void
  readonly take: () => void
  readonly close: () => void
}) => (
  <Dialog title={t.conflict} close={close}>
    <p>{isGone ? t.conflictGone : t.conflictHelp}</p>
    {differing(theirs, mine).map((name) => (
      <details key={name} open>
        <summary>{name}</summary>
        <div className={css.sides}>
          {[
            { title: t.theirs, files: theirs },
            { title: t.mine, files: mine }
          ].map(({ title, files }) => (
            <figure key={title}>
              <figcaption>{title}</figcaption>
              {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling area must be reachable by keyboard. */}
              <pre className={shared.code} tabIndex={0}>
                {files[name] ?? t.noFile}
              </pre>
            </figure>
          ))}
        </div>
      </details>
    ))}
    <div className={shared.actions}>
      <Button className={look.button!} onPress={close}>
        {t.goOnEditing}
      </Button>
      {isGone ? null : (
        <Button className={look.button!} onPress={take}>
          {t.takeTheirs}
        </Button>
      )}
      <Button className={shared.danger!} onPress={overwrite}>
        {t.overwrite}
      </Button>
    </div>
  </Dialog>
)

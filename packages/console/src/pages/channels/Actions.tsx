import { type ReactNode, useState } from "react"
import { answering } from "../../app/gateway.ts"
import { useMay } from "../../app/session.ts"
import { toast } from "../../app/toasts.ts"
import { Button } from "../../parts/Button.tsx"
import { messageOf, Problem } from "../../parts/Problem.tsx"
import shared from "../../parts/pages.module.css"
import look from "../../parts/parts.module.css"
import { channels as t } from "../../texts/en.ts"
import css from "./channels.module.css"

const actions = ["start", "restart", "stop"] as const
export type Action = (typeof actions)[number]

/** Start, restart and stop of a channel or job. The request is confirmed at once; its effect shows in the states. */
export const Actions = ({
  of,
  act,
  again,
  more
}: {
  /** What is acted on, for those who listen. */
  readonly of: string
  readonly act: (action: Action) => Promise<unknown>
  readonly again: () => void
  readonly more?: ReactNode
}) => {
  const [busy, setBusy] = useState<Action>()
  const [error, setError] = useState<unknown>()
  const may = useMay("operator")
  if (!may) return null
  const run = (action: Action) => {
    setBusy(action)
    setError(undefined)
    answering(() => act(action))
      .then(
        () => toast(t.acted[action](of)),
        (cause: unknown) => {
          setError(cause)
          toast(messageOf(cause))
        }
      )
      .finally(() => {
        setBusy(undefined)
        again()
      })
  }
  return (
    <div className={css.act}>
      <div className={shared.actions}>
        {actions.map((action) => (
          <Button
            key={action}
            className={action === "start" ? look.primary! : look.button!}
            aria-label={`${t.actions[action]} ${of}`}
            isDisabled={busy !== undefined}
            onPress={() => run(action)}
          >
            {busy === action ? t.acting[action] : t.actions[action]}
          </Button>
        ))}
        {more}
      </div>
      <Problem error={error} />
    </div>
  )
}

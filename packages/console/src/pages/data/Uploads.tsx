import { useId } from "react"
import { isLost } from "../../app/gateway.ts"
import { Link } from "../../app/Link.tsx"
import { Button } from "../../parts/Button.tsx"
import { Badge } from "../../parts/Frame.tsx"
import { issuesOf, messageOf } from "../../parts/Problem.tsx"
import look from "../../parts/parts.module.css"
import { visible } from "../../parts/values.ts"
import { common, data } from "../../texts/en.ts"
import css from "./data.module.css"
import { Unreadable } from "./digest.ts"
import { cancel, clear, type Item, repeat, type State, useUploads } from "./queue.ts"

const t = data.uploads

const tones = {
  waiting: "plain",
  sending: "busy",
  checking: "busy",
  stored: "good",
  differs: "bad",
  failed: "bad",
  cancelled: "plain"
} as const satisfies Record<State, string>

const reasonOf = ({ state, error, here = "", there = "" }: Item): string | undefined => {
  if (state === "differs") return t.differs(here, there)
  if (state !== "failed") return undefined
  if (error instanceof Unreadable) return t.unreadable
  if (isLost(error)) return t.broken
  return [messageOf(error), ...issuesOf(error).map(({ detail }) => detail)].join(" ")
}

const Row = ({ item }: { readonly item: Item }) => {
  const { id, task, state, sent, here } = item
  const { title, file, to } = task
  const name = visible(title)
  const isBusy = state === "waiting" || state === "sending" || state === "checking"
  const reason = reasonOf(item)
  return (
    <li className={css.upload}>
      <span className={css.uploadName}>
        {state === "stored" || state === "differs" ? <Link to={to}>{name}</Link> : name}
      </span>
      <Badge tone={tones[state]}>{t.state[state]}</Badge>
      {isBusy ? (
        <>
          <progress aria-label={t.progress(name)} max={Math.max(1, file.size)} value={sent} />
          <span className={css.dim}>{t.sent(sent, file.size)}</span>
          <Button className={look.button!} aria-label={t.cancel(name)} onPress={() => cancel(id)}>
            {common.cancel}
          </Button>
        </>
      ) : null}
      {state === "stored" && here !== undefined ? <code className={css.digest}>{here}</code> : null}
      {state === "failed" || state === "cancelled" || state === "differs" ? (
        <Button className={look.button!} aria-label={t.again(name)} onPress={() => repeat(id)}>
          {t.sendAgain}
        </Button>
      ) : null}
      {reason === undefined ? null : (
        <p role="alert" className={css.reason}>
          {reason}
        </p>
      )}
    </li>
  )
}

/** The uploads of this tab. They continue while the reader uses other pages. */
export const Uploads = () => {
  const items = useUploads()
  const id = useId()
  if (items.length === 0) return null
  const stored = items.filter(({ state }) => state === "stored").length
  return (
    <section className={css.uploads} aria-labelledby={id}>
      <div className={css.bar}>
        <h2 id={id}>{t.title}</h2>
        <span role="status">{t.done(stored, items.length)}</span>
        <span className={css.gap} />
        <Button className={look.button!} onPress={clear}>
          {t.clear}
        </Button>
      </div>
      <ul className={css.uploadList}>
        {items.map((item) => (
          <Row key={item.id} item={item} />
        ))}
      </ul>
    </section>
  )
}

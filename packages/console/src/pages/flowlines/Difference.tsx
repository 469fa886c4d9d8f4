import { useAnswer } from "../../app/answer.ts"
import { gateway } from "../../app/gateway.ts"
import { Code } from "../../parts/Code.tsx"
import { Badge } from "../../parts/Frame.tsx"
import { Problem } from "../../parts/Problem.tsx"
import css from "../../parts/pages.module.css"
import { common, flowlines } from "../../texts/en.ts"
import own from "./flowlines.module.css"
import type { Comparison } from "./model.ts"

const t = flowlines.difference

type Change = Comparison["changes"][number]

const tones = { added: "good", removed: "bad", changed: "warn" } as const

const valueText = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value))

/** Whether both values have place on the line of what has changed. */
const isShort = (before: unknown, after: unknown): boolean =>
  [before, after].every((value) => value === undefined || !/\n|^.{31}/s.test(valueText(value)))

const Changes = ({ changes, below = "" }: { readonly changes: ReadonlyArray<Change>; readonly below?: string }) => (
  <ul className={own.changes}>
    {changes.map(({ pointer, change, before, after, omitted }) => (
      <li key={`${pointer} ${change}`}>
        <Badge tone={tones[change]}>{t.words[change]}</Badge>{" "}
        <code>{pointer.startsWith(below) ? pointer.slice(below.length) || "/" : pointer}</code>
        {omitted ? <span className={css.dim}> {t.omitted}</span> : null}
        {before === undefined ? null : (
          <del className={isShort(before, after) ? own.short : ""}>{valueText(before)}</del>
        )}
        {after === undefined ? null : <ins className={isShort(before, after) ? own.short : ""}>{valueText(after)}</ins>}
      </li>
    ))}
  </ul>
)

const kindOf = (line: string): string | undefined =>
  line.startsWith("+") ? own.plus : line.startsWith("-") ? own.minus : line.startsWith("@@") ? own.hunk : undefined

/** Lines of a text diff that are shown. */
const mostLines = 2000

const TextDiff = ({ text }: { readonly text: string }) => {
  const lines = text.split("\n")
  return (
    <Code label={t.text} className={own.diff}>
      {lines.slice(0, mostLines).map((line, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the lines of a diff do not change.
        <span key={at} className={kindOf(line)}>
          {line}
          {"\n"}
        </span>
      ))}
    </Code>
  )
}

/** What has changed from one version of a flowline to another: nodes and settings first, then the text. */
export const Difference = ({
  tenant,
  id,
  from,
  to
}: {
  readonly tenant: string
  readonly id: string
  readonly from: number
  readonly to: number
}) => {
  const { value, error, again } = useAnswer(
    (signal) => gateway.flowlines.diff({ params: { tenant, id, version: from, other: to } }, { signal }),
    [tenant, id, from, to]
  )
  if (value === undefined)
    return error === undefined ? <p className={css.dim}>{common.loading}</p> : <Problem error={error} again={again} />
  const { nodes, changes, text, same, truncated } = value
  return (
    <section className={own.difference} aria-label={t.title(from, to)}>
      <h2>{t.title(from, to)}</h2>
      {same ? <p>{text === "" ? t.equal : t.same}</p> : null}
      {(["added", "removed"] as const).map((change) =>
        nodes[change].map(({ component, type }) => (
          <p key={`${change} ${component}`}>
            <Badge tone={tones[change]}>{t.words[change]}</Badge> {t.node} <b>{component}</b> <code>{type}</code>
          </p>
        ))
      )}
      {nodes.changed.map(({ component, type, pointer, changes: inside }) => (
        <div key={component}>
          <p>
            <Badge tone="warn">{t.words.changed}</Badge> {t.node} <b>{component}</b> <code>{type}</code>
          </p>
          <Changes changes={inside} below={pointer} />
        </div>
      ))}
      {changes.length === 0 ? null : (
        <div>
          <p>{t.outside}</p>
          <Changes changes={changes} />
        </div>
      )}
      {truncated ? <p className={css.dim}>{t.truncated}</p> : null}
      {text === "" ? null : (
        <details open={same || undefined}>
          <summary>{t.text}</summary>
          <TextDiff text={text} />
        </details>
      )}
    </section>
  )
}

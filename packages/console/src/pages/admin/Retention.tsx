import { useAnswer } from "../../app/answer.ts"
import { gateway } from "../../app/gateway.ts"
import { Badge } from "../../parts/Frame.tsx"
import { Problem } from "../../parts/Problem.tsx"
import pages from "../../parts/pages.module.css"
import { Time } from "../../parts/Time.tsx"
import { admin, common } from "../../texts/en.ts"
import css from "./admin.module.css"
import { PlainTable } from "./PlainTable.tsx"

const t = admin.retention

const columns = [
  { title: t.what },
  { title: t.age },
  { title: t.number, isNumber: true },
  { title: t.bytes, isNumber: true },
  { title: t.setting }
]

/** Polling interval in milliseconds: a round takes place every ten minutes. */
const every = 30_000

const names = { on: t.on, "dry-run": t.dryRun, off: t.off }
const tones = { on: "good", "dry-run": "warn", off: "plain" } as const

/** How long history is kept, and when the next round looks for old history. */
export const Retention = () => {
  const { value, error, again } = useAnswer((signal) => gateway.platform.installation(undefined, { signal }), [], every)
  if (value === undefined) {
    return (
      <>
        <Problem error={error} again={again} />
        {error === undefined ? <p className={css.waiting}>{common.loading}</p> : null}
      </>
    )
  }
  const { mode, nextRoundAt, keeps } = value.retention
  return (
    <>
      <Problem error={error} again={again} />
      <p className={css.facts}>
        <Badge tone={tones[mode]}>{names[mode]}</Badge>
        <span>{t.modes[mode]}</span>
        {nextRoundAt === null ? null : (
          <span>
            {t.next}: <Time at={nextRoundAt} />
          </span>
        )}
      </p>
      <PlainTable label={admin.views.retention} columns={columns}>
        {keeps.map(({ kind, setting, ageSeconds, number, bytes }) => (
          <tr key={kind}>
            <th scope="row">{t.kinds[kind]}</th>
            <td>{ageSeconds === null ? t.forever : common.duration(ageSeconds * 1000)}</td>
            <td className={css.number}>
              {number === null ? t.any : common.count(number)} {number !== null && kind === "versions" ? t.each : ""}
            </td>
            <td className={css.number}>{bytes === null ? "–" : common.bytes(bytes)}</td>
            <td>
              <code>{setting}</code>
            </td>
          </tr>
        ))}
      </PlainTable>
      <p className={css.dim}>{t.help}</p>
      <pre className={pages.code}>FLOW_KEEP_EXECUTIONS=age=30d,number=50000,bytes=5GiB npm start</pre>
    </>
  )
}

import { useState } from "react"
import { useAnswer } from "../../app/answer.ts"
import { gatewayBase } from "../../app/base.ts"
import { answering, gateway } from "../../app/gateway.ts"
import { Link } from "../../app/Link.tsx"
import { addressOf } from "../../app/location.ts"
import { useMay } from "../../app/session.ts"
import { Button } from "../../parts/Button.tsx"
import { Badge } from "../../parts/Frame.tsx"
import { messageOf } from "../../parts/Problem.tsx"
import shared from "../../parts/pages.module.css"
import look from "../../parts/parts.module.css"
import { common, search as t } from "../../texts/en.ts"
import type { Started } from "./Extractions.ts"
import css from "./search.module.css"

const every = 500

const tones = {
  ...({ PENDING: "busy", RUNNING: "busy", SUCCEEDED: "good" } as const),
  ...({ FAILED: "bad", CANCELLED: "plain", LOST: "bad" } as const)
}

/** An extraction with its progress. */
const Extraction = ({ one, forget }: { readonly one: Started; readonly forget: () => void }) => {
  const { tenant, flowline, execution, archive, title } = one
  const [isOver, setOver] = useState(false)
  const [fault, setFault] = useState<unknown>()
  const mayCancel = useMay("operator")
  const { value, error } = useAnswer(
    async (signal) => {
      const params = { tenant, flowlineId: flowline, executionId: execution }
      const detail = await gateway.executions.detail({ params }, { signal })
      setOver(detail.state !== "PENDING" && detail.state !== "RUNNING")
      return detail
    },
    [execution],
    isOver ? undefined : every
  )
  const input = value?.nodes.find(({ total }) => total !== undefined) ?? value?.nodes[0]
  const [done, total] = [input?.recordsOut ?? 0, input?.total]
  const cancel = () => {
    setFault(undefined)
    answering(() =>
      gateway.executions.cancel({ params: { tenant, flowlineId: flowline, executionId: execution } })
    ).catch(setFault)
  }
  return (
    <li className={css.extraction}>
      <span className={css.extractionTitle}>{title}</span>
      {value === undefined ? null : <Badge tone={tones[value.state]}>{t.states[value.state]}</Badge>}
      <progress
        aria-label={t.progressOf(title)}
        max={total === undefined || total === 0 ? 1 : total}
        value={
          value?.state === "SUCCEEDED"
            ? total === undefined || total === 0
              ? 1
              : total
            : total === undefined
              ? 0
              : done
        }
      />
      <span className={shared.dim}>{t.written(done, total)}</span>
      <span className={css.gap} />
      {value?.state === "SUCCEEDED" ? (
        <a href={`${gatewayBase}v1/${encodeURIComponent(tenant)}/archives/${encodeURIComponent(archive)}`} download>
          {t.archive}
        </a>
      ) : null}
      <Link to={addressOf(["runs", flowline, execution])}>{t.run}</Link>
      {isOver || !mayCancel ? null : (
        <Button className={look.button!} aria-label={t.cancelOf(title)} onPress={cancel}>
          {common.cancel}
        </Button>
      )}
      {isOver || error !== undefined ? (
        <Button className={look.button!} aria-label={t.forgetOf(title)} onPress={forget}>
          ×
        </Button>
      ) : null}
      {fault === undefined ? null : <p className={css.fault}>{messageOf(fault)}</p>}
      {error === undefined ? null : <p className={css.fault}>{messageOf(error)}</p>}
      {value?.error === null || value === undefined ? null : <p className={css.fault}>{value.error}</p>}
    </li>
  )
}

/** The extractions of this tab, with their progress. */
export const ExtractionList = ({
  all,
  forget
}: {
  readonly all: ReadonlyArray<Started>
  readonly forget: (execution: string) => void
}) =>
  all.length === 0 ? null : (
    <ul className={css.extractions} aria-label={t.extractions}>
      {all.map((one) => (
        <Extraction key={one.execution} one={one} forget={() => forget(one.execution)} />
      ))}
    </ul>
  )

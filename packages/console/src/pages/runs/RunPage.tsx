import { useMemo, useState } from "react"
import { useAnswer } from "../../app/answer.ts"
import { answering, gateway } from "../../app/gateway.ts"
import { Link } from "../../app/Link.tsx"
import { addressOf, go, staying, useQuery } from "../../app/location.ts"
import { useOnce } from "../../app/repeat.ts"
import { useMay } from "../../app/session.ts"
import { toast } from "../../app/toasts.ts"
import { Button } from "../../parts/Button.tsx"
import { Confirm } from "../../parts/Confirm.tsx"
import { Badge, Frame } from "../../parts/Frame.tsx"
import { Later } from "../../parts/Later.tsx"
import { messageOf, Problem } from "../../parts/Problem.tsx"
import look from "../../parts/parts.module.css"
import { visible } from "../../parts/values.ts"
import { common, runs as t } from "../../texts/en.ts"
import { type Detail, hasEnded, toneOf } from "./models.ts"
import { Overview } from "./Overview.tsx"
import css from "./runs.module.css"
import { useDefinition, useRun } from "./useRun.ts"

const outputView = () => import("./OutputView.tsx").then(({ OutputView }) => ({ default: OutputView }))
const archiveView = () => import("../../parts/archive/Archive.tsx")
const failedView = () => import("./Failed.tsx")
const compareView = () => import("./Compare.tsx")
const againDialog = () => import("./AgainDialog.tsx")

const views = ["overview", "output", "failed", "archive", "compare"] as const

const nameOf = (definition: unknown): string | undefined => {
  const name = (Object(definition) as { readonly name?: unknown }).name
  return typeof name === "string" && name !== "" ? name : undefined
}

/** One run: its progress, output and files, and its differences from others. */
const RunPage = ({
  tenant,
  flowlineId,
  executionId
}: {
  readonly tenant: string
  readonly flowlineId: string
  readonly executionId: string
}) => {
  const { run, samples, error, again } = useRun(tenant, flowlineId, executionId)
  const found = useDefinition(tenant, flowlineId, run?.version)
  const { schema, error: definitionError } = found
  // biome-ignore lint/correctness/useExhaustiveDependencies: a version never changes.
  const definition = useMemo(() => found.definition, [found.definition === undefined, run?.version])
  // A flowline that was run without being saved, or was deleted, cannot be opened.
  const { value: saved } = useAnswer(
    tenant === ""
      ? undefined
      : (signal) => gateway.flowlines.versions({ params: { tenant, id: flowlineId }, query: { limit: 1 } }, { signal }),
    [tenant, flowlineId]
  )
  const [viewText] = useQuery("view")
  const view = views.find((name) => name === viewText) ?? "overview"
  const name = nameOf(definition) ?? flowlineId
  const path = ["runs", flowlineId, executionId]
  const failed = run?.nodes.reduce((sum, { errors }) => sum + errors, 0) ?? 0
  const tabs = views.map((one) => ({
    title: t.run.views[one],
    count: one === "failed" ? failed : 0,
    to: addressOf(path, one === "overview" ? {} : { view: one }),
    current: one === view
  }))
  return (
    <Frame
      title={name}
      above={{ title: t.title, to: addressOf(["runs"]) }}
      views={tabs}
      actions={run === undefined ? null : <Actions tenant={tenant} run={run} schema={schema} changed={again} />}
    >
      {run === undefined ? (
        error === undefined ? (
          <p className={css.note}>{common.loading}</p>
        ) : null
      ) : (
        <p className={css.facts}>
          <Badge tone={toneOf(run)}>{t.stateAndOutcome(run.state, run.outcome)}</Badge>
          <span>{t.run.version(run.version)}</span>
          <span>{run.runtime}</span>
          {run.startedAt === null ? null : <span>{common.duration(run.duration)}</span>}
          <code>{visible(run.id)}</code>
          {saved === undefined ? null : <Link to={addressOf(["flowlines", flowlineId])}>{t.run.flowline}</Link>}
        </p>
      )}
      <Problem error={error} again={again} />
      {view === "overview" && run !== undefined ? (
        <Overview
          run={run}
          samples={samples}
          definition={definition}
          definitionError={definitionError}
          again={found.again}
        />
      ) : null}
      {view === "output" ? <Later load={outputView} props={{ tenant, id: executionId }} /> : null}
      {view === "failed" && run !== undefined ? <Later load={failedView} props={{ tenant, run, definition }} /> : null}
      {view === "archive" && tenant !== "" ? (
        // An archive may outlive its run.
        run !== undefined && run.archive === null ? (
          <p className={css.note}>{hasEnded(run.state) ? t.run.noArchive : t.run.noArchiveYet}</p>
        ) : (
          <Later
            load={archiveView}
            props={{
              path: `v1/${encodeURIComponent(tenant)}/archives/${encodeURIComponent(executionId)}`,
              name: `${executionId}.zip`
            }}
          />
        )
      ) : null}
      {view === "compare" && run !== undefined ? <Later load={compareView} props={{ tenant, run }} /> : null}
    </Frame>
  )
}

const Actions = ({
  tenant,
  run,
  schema,
  changed
}: {
  readonly tenant: string
  readonly run: Detail
  readonly schema: unknown
  readonly changed: () => void
}) => {
  const mayRun = useMay("operator")
  const mayRemove = useMay("developer")
  const [asked, setAsked] = useState<"cancel" | "remove" | "parameters">()
  const close = () => setAsked(undefined)
  const { id, flowlineId } = run
  const isOver = hasEnded(run.state)
  const properties = Object.keys(Object((Object(schema) as { readonly properties?: object }).properties))
  const [isRepeating, setRepeating] = useState(false)
  const once = useOnce()
  const repeat = () => {
    if (isRepeating) return
    setRepeating(true)
    const isHere = staying()
    answering(() => gateway.executions.again({ params: { tenant, id } }, once(id)))
      .then(
        (made) => {
          if (isHere()) go(addressOf(["runs", flowlineId, made.id]))
          else toast(common.started)
        },
        (cause: unknown) => toast(messageOf(cause))
      )
      .finally(() => setRepeating(false))
  }
  return (
    <>
      {isOver ? null : (
        <Button className={look.button!} isDisabled={!mayRun} onPress={() => setAsked("cancel")}>
          {t.run.cancel}
        </Button>
      )}
      <Button className={look.button!} isDisabled={!mayRun} onPress={repeat}>
        {t.run.again}
      </Button>
      {properties.length === 0 ? null : (
        <Button className={look.button!} isDisabled={!mayRun} onPress={() => setAsked("parameters")}>
          {t.run.againWith}
        </Button>
      )}
      {isOver ? (
        <Button className={look.button!} isDisabled={!mayRemove} onPress={() => setAsked("remove")}>
          {common.remove}
        </Button>
      ) : null}
      {asked === "cancel" ? (
        <Confirm
          title={t.run.cancelTitle}
          action={t.run.cancel}
          act={() =>
            answering(() => gateway.executions.cancel({ params: { tenant, flowlineId, executionId: id } })).then(
              changed
            )
          }
          close={close}
        >
          <p>{t.run.cancelHelp}</p>
        </Confirm>
      ) : null}
      {asked === "remove" ? (
        <Confirm
          title={t.run.removeTitle}
          action={common.remove}
          act={() => {
            const isHere = staying()
            return answering(() => gateway.executions.remove({ params: { tenant, id } })).then(() => {
              if (isHere()) go(addressOf(["runs"]), "replace")
            })
          }}
          close={close}
        >
          <p>{t.run.removeHelp}</p>
        </Confirm>
      ) : null}
      {asked === "parameters" ? <Later load={againDialog} props={{ tenant, run, schema, close }} /> : null}
    </>
  )
}

export default RunPage

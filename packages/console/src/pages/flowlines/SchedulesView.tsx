import { useMemo, useState } from "react"
import { listPause, useAnswer } from "../../app/answer.ts"
import { answering, gateway } from "../../app/gateway.ts"
import { Link } from "../../app/Link.tsx"
import { addressOf, useQuery } from "../../app/location.ts"
import { useMay } from "../../app/session.ts"
import { toast } from "../../app/toasts.ts"
import { Button } from "../../parts/Button.tsx"
import { Confirm } from "../../parts/Confirm.tsx"
import { timeColumn, timeWidth } from "../../parts/columns.tsx"
import { Badge, Empty, Loading } from "../../parts/Frame.tsx"
import { Later } from "../../parts/Later.tsx"
import { messageOf, Problem } from "../../parts/Problem.tsx"
import css from "../../parts/pages.module.css"
import look from "../../parts/parts.module.css"
import { type Column, Table } from "../../parts/Table.tsx"
import { Time } from "../../parts/Time.tsx"
import { useToldOnce } from "../../parts/useToldOnce.ts"
import { common, flowlines } from "../../texts/en.ts"
import own from "./flowlines.module.css"
import type { Firing, Schedule } from "./model.ts"
import TokenDialog from "./TokenDialog.tsx"

const t = flowlines.schedules

const dialog = () => import("./ScheduleDialog.tsx")

const whenOf = ({ trigger }: Schedule): string => {
  const { cron, zone, every, after, file, webhook } = trigger
  if (cron !== undefined) return t.said.cron(cron, zone ?? "UTC")
  if (every !== undefined) return t.said.every(every)
  if (after !== undefined) return t.said.after(after.flowline ?? after.schedule ?? "", after.on ?? "success")
  if (file !== undefined) return t.said.file(file.path)
  return webhook === undefined ? "" : t.said.webhook
}

const State = ({ schedule: { paused, fault } }: { readonly schedule: Schedule }) =>
  paused ? (
    <Badge tone="plain">{t.states.paused}</Badge>
  ) : fault === null ? (
    <Badge tone="good">{t.states.active}</Badge>
  ) : (
    <Badge tone="bad">{t.states.faulty}</Badge>
  )

const columns: ReadonlyArray<Column<Schedule>> = [
  { id: "name", title: t.name, value: ({ name }) => name, cell: ({ name }) => name },
  { id: "when", title: t.when, value: whenOf, cell: whenOf, width: "minmax(160px, 2fr)" },
  {
    id: "next",
    title: t.next,
    value: ({ next }) => next ?? "",
    cell: ({ next }) => <Time at={next} />,
    width: timeWidth
  },
  { id: "state", title: t.state, cell: (schedule) => <State schedule={schedule} />, width: "100px" }
]

const firingTones: Readonly<Partial<Record<Firing["state"], "busy" | "good" | "bad">>> = {
  WAITING: "busy",
  STARTED: "busy",
  SUCCEEDED: "good",
  FAILED: "bad",
  LOST: "bad"
}

const firingColumns: ReadonlyArray<Column<Firing>> = [
  timeColumn({ id: "at", title: t.scheduledAt, width: timeWidth }, ({ scheduledAt }) => scheduledAt),
  { id: "kind", title: t.firedBy, value: ({ kind }) => kind, cell: ({ kind }) => kind, width: "80px" },
  {
    id: "state",
    title: t.state,
    value: ({ state }) => state,
    cell: ({ state }) => <Badge tone={firingTones[state] ?? "plain"}>{t.firings[state]}</Badge>,
    width: "110px"
  },
  { id: "why", title: t.why, cell: ({ reason, file }) => reason ?? file ?? "", width: "minmax(160px, 2fr)" },
  {
    id: "run",
    title: t.run,
    cell: ({ flowlineId, execution }) =>
      flowlineId === null || execution === null ? null : (
        <Link to={addressOf(["runs", flowlineId, execution])}>{t.openRun}</Link>
      ),
    width: "90px"
  }
]

/** Firings that are shown. */
const mostFirings = 100

/** A schedule: what it has done, and what can be done with it. */
const Detail = ({
  tenant,
  schedule,
  again,
  change,
  showToken
}: {
  readonly tenant: string
  readonly schedule: Schedule
  readonly again: () => void
  readonly change: () => void
  readonly showToken: (token: string) => void
}) => {
  const { name } = schedule
  const params = { tenant, name }
  const mayRun = useMay("operator")
  const mayChange = useMay("developer")
  const [asks, setAsks] = useState<"remove" | "token">()
  const {
    value: firings = [],
    error,
    again: firingsAgain
  } = useAnswer(
    (signal) => gateway.schedules.firings({ params, query: { limit: mostFirings } }, { signal }),
    [tenant, name],
    5_000
  )
  const [isBusy, setBusy] = useState(false)
  const act = (call: () => Promise<unknown>, done: string) => {
    setBusy(true)
    answering(call)
      .then(
        () => {
          toast(done)
          again()
          firingsAgain()
        },
        (cause: unknown) => toast(messageOf(cause))
      )
      .finally(() => setBusy(false))
  }
  return (
    <section className={own.schedule} aria-label={t.detail(name)}>
      <div className={css.frameHead}>
        <h2>{name}</h2>
        <div className={css.actions}>
          {mayRun ? (
            <>
              <Button
                className={look.button!}
                isDisabled={isBusy}
                onPress={() => act(() => gateway.schedules.run({ params, payload: null }), t.fired(name))}
              >
                {t.runNow}
              </Button>
              {schedule.paused ? (
                <Button
                  className={look.button!}
                  isDisabled={isBusy}
                  onPress={() => act(() => gateway.schedules.resume({ params }), t.resumed(name))}
                >
                  {t.resume}
                </Button>
              ) : (
                <Button
                  className={look.button!}
                  isDisabled={isBusy}
                  onPress={() => act(() => gateway.schedules.pause({ params }), t.pausedNow(name))}
                >
                  {t.pause}
                </Button>
              )}
            </>
          ) : null}
          {mayChange ? (
            <>
              <Button className={look.button!} onPress={change}>
                {t.edit}
              </Button>
              {schedule.trigger.webhook === undefined ? null : (
                <Button className={look.button!} onPress={() => setAsks("token")}>
                  {t.newToken}
                </Button>
              )}
              <Button className={look.button!} onPress={() => setAsks("remove")}>
                {common.remove}
              </Button>
            </>
          ) : null}
        </div>
      </div>
      {schedule.description === undefined ? null : <p>{schedule.description}</p>}
      {schedule.fault === null ? null : <p className={own.fault}>{schedule.fault}</p>}
      <Problem error={error} />
      {firings.length === 0 ? (
        <p className={css.dim}>{t.noFirings}</p>
      ) : (
        <Table label={t.firingsOf(name)} columns={firingColumns} rows={firings} keyOf={({ id }) => id} />
      )}
      {asks === "remove" ? (
        <Confirm
          title={t.removeTitle(name)}
          action={common.remove}
          act={async () => {
            await answering(() => gateway.schedules.remove({ params }))
            again()
          }}
          close={() => setAsks(undefined)}
        >
          <p>{t.removeHelp}</p>
        </Confirm>
      ) : null}
      {asks === "token" ? (
        <Confirm
          title={t.newToken}
          action={t.newToken}
          act={async () => showToken((await answering(() => gateway.schedules.newToken({ params }))).token)}
          close={() => setAsks(undefined)}
        >
          <p>{t.newTokenHelp}</p>
        </Confirm>
      ) : null}
    </section>
  )
}

/** The schedules of a flowline. */
const SchedulesView = ({ tenant, id }: { readonly tenant: string; readonly id: string }) => {
  const { value, error, again } = useAnswer(
    (signal) => gateway.schedules.list({ params: { tenant } }, { signal }),
    [tenant],
    listPause(5_000)
  )
  const mayChange = useMay("developer")
  const rows = useMemo(() => (value ?? []).filter(({ flowline }) => flowline === id), [value, id])
  const [chosen, setChosen] = useQuery("schedule")
  const [open, setOpen] = useState<"new" | "change">()
  // A schedule has one token.
  const token = useToldOnce<{ readonly name: string; readonly token: string }>(flowlines.token.unseen, "replaces")
  const schedule = rows.find(({ name }) => name === chosen) ?? rows[0]
  const create = mayChange ? (
    <Button className={look.primary!} onPress={() => setOpen("new")}>
      {t.create}
    </Button>
  ) : null
  return (
    <>
      <Problem error={error} again={again} />
      {value === undefined ? (
        <Loading error={error} />
      ) : rows.length === 0 ? (
        <Empty title={t.empty}>
          <p>{t.emptyHelp}</p>
          <p>{create}</p>
        </Empty>
      ) : (
        <>
          <div className={css.actions}>{create}</div>
          <Table
            label={t.title}
            columns={columns}
            rows={rows}
            keyOf={({ name }) => name}
            current={schedule?.name}
            onOpen={({ name }) => setChosen(name)}
          />
          {schedule === undefined ? null : (
            <Detail
              key={schedule.name}
              tenant={tenant}
              schedule={schedule}
              again={again}
              change={() => setOpen("change")}
              showToken={(made) => token.show({ name: schedule.name, token: made })}
            />
          )}
        </>
      )}
      {open === undefined ? null : (
        <Later
          load={dialog}
          failed={() => setOpen(undefined)}
          props={{
            tenant,
            id,
            schedule: open === "change" ? schedule : undefined,
            names: (value ?? []).map(({ name }) => name),
            close: () => setOpen(undefined),
            made: (name: string, made: string | undefined, isOpen: boolean) => {
              again()
              // Its reader may have gone on to another one.
              if (isOpen) setChosen(name)
              if (made !== undefined) token.show({ name, token: made })
            }
          }}
        />
      )}
      {token.shown === undefined ? null : (
        <TokenDialog key={token.shown.token} tenant={tenant} {...token.shown} close={token.close} />
      )}
    </>
  )
}

export default SchedulesView

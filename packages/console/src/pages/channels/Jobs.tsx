import { useMemo } from "react"
import { gateway } from "../../app/gateway.ts"
import { useQuery } from "../../app/location.ts"
import { countColumn } from "../../parts/columns.tsx"
import { Badge } from "../../parts/Frame.tsx"
import { type Column, Table } from "../../parts/Table.tsx"
import { common, channels as t } from "../../texts/en.ts"
import { Actions } from "./Actions.tsx"
import { countsOf, type Detail, type Job, jobName, partsOf, toneOf, whyOf } from "./Channels.ts"
import { JobDetail } from "./JobDetail.tsx"

const columnsAt = (now: number): ReadonlyArray<Column<Job>> => [
  { id: "job", title: t.job, value: jobName, cell: jobName, width: "minmax(120px, 1.3fr)" },
  {
    id: "desired",
    title: t.desired,
    value: ({ desired }) => desired,
    cell: ({ desired }) => t.wanted[desired],
    width: "80px"
  },
  {
    id: "status",
    title: t.observed,
    value: ({ status }) => status,
    cell: ({ status }) => <Badge tone={toneOf(status)}>{t.states[status]}</Badge>,
    width: "100px"
  },
  { id: "why", title: t.whyTitle, cell: (job) => whyOf(job, now), width: "minmax(160px, 4fr)" },
  countColumn({ id: "restarts", title: t.restarts, width: "76px" }, ({ restarts }) => restarts),
  {
    id: "lag",
    title: t.lag,
    value: (job) => countsOf(job).lag,
    cell: (job) => {
      const { lag } = countsOf(job)
      return lag === undefined ? "–" : common.bytes(lag)
    },
    width: "84px",
    align: "end"
  }
]

/** The jobs of a channel, and the selected one. */
export const Jobs = ({
  tenant,
  channel,
  detail,
  again
}: {
  readonly tenant: string
  readonly channel: string
  readonly detail: Detail
  readonly again: () => void
}) => {
  const [chosen, choose] = useQuery("job")
  const { jobs } = detail
  // biome-ignore lint/correctness/useExhaustiveDependencies: each answer is of its moment, and so are the times that it says.
  const columns = useMemo(() => columnsAt(Date.now()), [detail])
  const name = chosen === "" && jobs[0] !== undefined ? jobName(jobs[0]) : chosen
  const job = jobs.find((one) => jobName(one) === name)
  if (jobs.length === 0) return <p>{t.noJobs}</p>
  return (
    <>
      <Table
        label={t.jobs}
        columns={columns}
        rows={jobs}
        keyOf={jobName}
        current={name}
        onOpen={(one) => choose(jobName(one), "push")}
      />
      {job === undefined ? (
        <p role="alert">{t.noJob(name)}</p>
      ) : (
        <JobDetail
          key={name}
          tenant={tenant}
          channel={channel}
          job={job}
          actions={
            <Actions
              of={name}
              act={(action) => gateway.channels.actOnJob({ params: { tenant, channel, ...partsOf(job), action } })}
              again={again}
            />
          }
        />
      )}
    </>
  )
}

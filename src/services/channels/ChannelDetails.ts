import { Schema } from "effect"
import type { TenantId } from "../shared/Tenant.ts"
import { ChannelDetail, type ChannelEntry, type ChannelList } from "./Channel.ts"
import { type ChannelFolder, issueText } from "./ChannelFolders.ts"
import {
  type ChannelName,
  type ClusterName,
  failuresOf,
  isUnderWay,
  type JobKey,
  type JobName,
  type JobState,
  jobScope,
  lastFailures,
  neverStarted,
  statusOf
} from "./Job.ts"

type Known = JobKey & JobState

const decodeJobs = Schema.decodeUnknownSync(ChannelDetail.fields.jobs)

/** The jobs of a folder, and running jobs that are no longer in it. */
const jobsOf = (
  tenant: TenantId,
  channel: ChannelName,
  folder: ChannelFolder | undefined,
  states: ReadonlyArray<Known>
) => {
  const stateOf = (cluster: ClusterName, job: JobName) =>
    states.find((state) => state.channel === channel && state.cluster === cluster && state.job === job)
  const defined = (folder?.jobs ?? []).map(({ cluster, name, file, parameters = {} }) => {
    const key = { tenant, channel, cluster, job: name }
    return { key, task: file, parameters, state: stateOf(cluster, name) ?? neverStarted }
  })
  const others = states.filter(
    (state) =>
      state.channel === channel &&
      isUnderWay(state.status) &&
      !folder?.jobs.some(({ cluster, name }) => cluster === state.cluster && name === state.job)
  )
  return [...defined, ...others.map((state) => ({ key: state, task: "", parameters: {}, state }))]
}

const failuresShown = ({ failures }: Known | typeof neverStarted) => {
  const shown = lastFailures(failuresOf(failures)).map(({ at, ...rest }) => ({
    timestamp: new Date(at).toISOString(),
    ...rest
  }))
  return shown.length === 0 ? {} : { failures: shown }
}

const reasonOf = (folder: ChannelFolder | undefined): string | undefined => {
  if (folder === undefined) return "The channel's folder is gone, but jobs of it still run"
  return folder.issues.length === 0 ? undefined : folder.issues.map(issueText).join("\n")
}

/** The answers of the endpoints about channels. */
export const views = {
  list: (tenant: TenantId, folders: ReadonlyArray<ChannelFolder>, states: ReadonlyArray<Known>): ChannelList => {
    const children: Array<ChannelEntry> = []
    const errors: Array<ChannelEntry> = []
    for (const folder of folders) {
      const reason = reasonOf(folder)
      const jobs = jobsOf(tenant, folder.name, folder, states)
      if (reason === undefined) children.push({ name: folder.name, status: statusOf(jobs.map(({ state }) => state)) })
      else errors.push({ name: folder.name, status: "INVALID", reason })
    }
    const gone = new Set(states.filter(({ status }) => isUnderWay(status)).map(({ channel }) => channel))
    for (const { name } of folders) gone.delete(name)
    for (const name of gone) errors.push({ name, status: "INVALID", reason: reasonOf(undefined)! })
    return { children, errors }
  },

  detail: (
    tenant: TenantId,
    channel: ChannelName,
    folder: ChannelFolder | undefined,
    states: ReadonlyArray<Known>
  ): ChannelDetail => {
    const jobs = jobsOf(tenant, channel, folder, states)
    const reason = reasonOf(folder)
    const shown = jobs.map(({ key, task, parameters, state }) => ({
      cluster: key.cluster,
      name: `${channel}/${key.cluster}/${key.job}`,
      runtimeId: `tenants/${tenant}/${jobScope(key)}`,
      status: state.status,
      task,
      desired: state.desired ? "ACTIVE" : "STOPPED",
      since: state.since,
      restarts: state.restarts,
      lastError: state.lastError,
      node: state.node,
      jobId: state.jobId,
      nextRun: state.nextRun,
      ...failuresShown(state),
      ...(Object.keys(parameters).length === 0 ? {} : { parameters }),
      ...JSON.parse(state.outcome ?? "{}"),
      nodes: JSON.parse(state.nodes)
    }))
    return {
      status: reason === undefined ? statusOf(jobs.map(({ state }) => state)) : "INVALID",
      ...(reason === undefined ? {} : { reason }),
      jobs: decodeJobs(shown)
    }
  }
}

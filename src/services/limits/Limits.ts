import { Record, Schema } from "effect"
import type { Settings } from "../shared/settings/Settings.ts"

/** What is known of a limit. */
interface LimitKind {
  readonly description: string
  readonly unit: string
  /** `tenant`: in all gateways together. `gateway`: in each gateway. `execution`: in each execution. */
  readonly scope: "tenant" | "gateway" | "execution"
  /** The setting that gives the default. */
  readonly setting?: string
}

const kinds = <const Names extends string>(all: Record<Names, LimitKind>): Readonly<Record<Names, LimitKind>> => all

/** All limits of a tenant. This is the one list of them: the access file, the endpoint and the documents follow it. */
export const limitKinds = kinds({
  requestsPerSecond: {
    description: "Requests of all principals together",
    unit: "requests per second",
    scope: "tenant"
  },
  requestsPerSecondOfPrincipal: {
    description: "Requests of one principal to the tenant",
    unit: "requests per second",
    scope: "tenant"
  },
  burstSeconds: {
    description: "Seconds for which a rate may be saved up: so many times the rate may come at once",
    unit: "seconds",
    scope: "tenant"
  },
  concurrentUploads: { description: "Files that are being uploaded", unit: "uploads", scope: "gateway" },
  runningExecutions: {
    description: "Executions that run at once; others wait",
    unit: "executions",
    scope: "gateway",
    setting: "FLOW_TENANT_RUNS"
  },
  waitingExecutions: {
    description: "Executions that are `PENDING`",
    unit: "executions",
    scope: "tenant",
    setting: "FLOW_TENANT_QUEUE"
  },
  runningJobs: {
    description: "Jobs of channels that run at once; others wait",
    unit: "jobs",
    scope: "gateway",
    setting: "FLOW_TENANT_JOBS"
  },
  jobs: { description: "Jobs of channels that are started, whether they run or wait", unit: "jobs", scope: "tenant" },
  archives: { description: "Archives that are stored", unit: "archives", scope: "tenant" },
  archiveBytes: { description: "Bytes of archives that are stored", unit: "bytes", scope: "tenant" },
  storedVersions: {
    description: "Versions of saved flowlines, artifacts, stored resources and files of the registry",
    unit: "versions",
    scope: "tenant",
    setting: "FLOW_TENANT_ENTRIES"
  },
  storedBytes: {
    description: "Bytes of these versions; equal contents count each time",
    unit: "bytes",
    scope: "tenant",
    setting: "FLOW_TENANT_BYTES"
  },
  dataFiles: { description: "Files of the data area", unit: "files", scope: "tenant" },
  dataBytes: { description: "Bytes of the files of the data area", unit: "bytes", scope: "tenant" },
  documents: { description: "Documents of all indices", unit: "documents", scope: "tenant" },
  documentBytes: {
    description: "Bytes that the documents of all indices take in the database",
    unit: "bytes",
    scope: "tenant"
  },
  extractionRows: { description: "Documents that one extraction may read", unit: "documents", scope: "execution" }
})

export type LimitName = keyof typeof limitKinds
export const limitNames = Object.keys(limitKinds) as ReadonlyArray<LimitName>

const most = (name: LimitName) =>
  Schema.optionalKey(
    Schema.NullOr(
      Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: name === "burstSeconds" ? 3600 : 2 ** 50 }))
    ).annotate({ description: `${limitKinds[name].description} (${limitKinds[name].unit}); null for no limit` })
  )

/** What a tenant may use at most. Absent members mean the gateway's default, null means no limit. */
export const TenantLimits = Schema.Struct(Record.map(limitKinds, (_, name) => most(name)))
export type TenantLimits = typeof TenantLimits.Type

/** Where the value of a limit comes from: the product, a setting, or the access file. */
export type LimitSource = "default" | "setting" | "file"

interface Limit {
  /** Undefined: no limit. */
  readonly value: number | undefined
  readonly source: LimitSource
}

/** The limits of a tenant. */
export type Limits = Readonly<Record<LimitName, Limit>>

/** Seconds of a burst where the access file says none, or no limit. */
const usualBurst = 10

/**
 * The limits of a tenant about which the access file says nothing. One team does not notice them. Rates are counted only
 * where requests are authenticated.
 */
export const defaultLimitsOf = (settings: Settings["Service"]): Limits => {
  const known = (value: number | undefined): Limit => ({ value, source: "default" })
  const set = (value: number | undefined): Limit => ({ value, source: "setting" })
  const rate = (value: number) => known(settings.auth === undefined ? undefined : value)
  return {
    ...Record.map(limitKinds, () => known(undefined)),
    requestsPerSecond: rate(2000),
    requestsPerSecondOfPrincipal: rate(1000),
    burstSeconds: known(usualBurst),
    concurrentUploads: known(256),
    runningExecutions: set(settings.runs.each),
    waitingExecutions: set(settings.tenantQueue),
    runningJobs: set(settings.jobs.each),
    storedVersions: set(settings.quota.entries),
    storedBytes: set(settings.quota.bytes)
  }
}

/** The limits with those of a part of the access file in their place. */
export const withLimits = (limits: Limits, given: TenantLimits | undefined): Limits => {
  if (given === undefined) return limits
  const changed = limitNames.flatMap((name) => {
    const value = given[name]
    return value === undefined ? [] : [[name, { value: value ?? undefined, source: "file" } satisfies Limit] as const]
  })
  return { ...limits, ...Object.fromEntries(changed) }
}

/** A rate of requests, as a bucket of tokens: so many are added each second, and so many fit. */
export interface Rate {
  readonly perSecond: number
  readonly capacity: number
}

/** The rate of a limit, if there is one. */
export const rateOf = (
  limits: Limits,
  name: "requestsPerSecond" | "requestsPerSecondOfPrincipal"
): Rate | undefined => {
  const { value } = limits[name]
  if (value === undefined) return undefined
  return { perSecond: value, capacity: value * (limits.burstSeconds.value ?? usualBurst) }
}

import { Context } from "effect"
import type { BlobPlace } from "../../../protocol/Places.ts"
import type { Roots } from "../../../protocol/Roots.ts"
import type { TenantId } from "../Tenant.ts"
import type { Rules } from "./RetentionRules.ts"
import type { OwnPlace } from "./RootRules.ts"

/** Limits on requests, in bytes. A request over a limit is answered 413 with the name and value of the limit. */
export interface Limits {
  readonly jsonBody: number
  readonly definitionsPart: number
  readonly flowlineFile: number
  readonly testInput: number
  readonly formField: number
  readonly parts: number
}

export const defaultLimits: Limits = {
  jsonBody: 1024 * 1024,
  definitionsPart: 1024 * 1024,
  flowlineFile: 4 * 1024 * 1024,
  testInput: 64 * 1024 * 1024,
  formField: 64 * 1024,
  parts: 32
}

/**
 * The root folder of the files that runs write: `<root>/<tenant>/data/`. It is the folder of the blobs when they are on
 * a disk, else a folder of this machine.
 */
export const dataRoot = (settings: { readonly data: string; readonly blobs: BlobPlace }): string =>
  settings.blobs.kind === "disk" ? settings.blobs.root : `${settings.data}/blobs`

/** Whether only this machine reaches an address to listen on. */
export const isLoopback = (host: string): boolean => /^(localhost|127(\.\d{1,3}){3}|::1|\[::1\])$/.test(host)

/** What the settings of a flowline may ask for at most, in MiB and seconds. */
export interface RunCeilings {
  readonly memoryMib: number
  readonly seconds: number
}

/** The settings of the whole gateway, validated. */
export class Settings extends Context.Service<
  Settings,
  {
    readonly host: string
    readonly port: number
    /** Names under which browsers and proxies reach the gateway, besides names without a dot and IP addresses. */
    readonly hosts: ReadonlyArray<string>
    /** Origins of web pages that may use the gateway, such as `https://app.example.com`. */
    readonly cors: ReadonlyArray<string>
    /** The access file, absolute; undefined without authentication. */
    readonly auth: string | undefined
    /** Files of the certificate chain and its private key in PEM; undefined for plain HTTP. */
    readonly tls: { readonly cert: string; readonly key: string } | undefined
    /** Addresses and ranges of proxies whose `Forwarded` and `X-Forwarded-*` headers count. */
    readonly trustedProxies: ReadonlyArray<string>
    /** Maximum number of open connections from one address that is no trusted proxy. */
    readonly addressConnections: number
    /** Where secrets of flowlines come from: a folder with `<tenant>/<NAME>`, and the keys of the encrypted store. */
    readonly secrets: { readonly folder: string | undefined; readonly keyFile: string | undefined }
    /** Whether programs of users are isolated: as far as the machine allows, not at all, or wholly or not run. */
    readonly isolation: "auto" | "off" | "required"
    /** Whether runs have the machine's network; without it their inputs and outputs reach nothing. */
    readonly runNetwork: boolean
    /** Whether answers are compressed for clients that ask for it. */
    readonly compression: boolean
    /** Folder of the configuration: `platform.yaml` and `tenants/<tenant>/…`. */
    readonly conf: string
    /** The folder of the embedded PostgreSQL, the blobs and the runs. */
    readonly data: string
    readonly defaultTenant: TenantId
    /** Which of the tenants' variables count here, such as `production`. */
    readonly environment: string | undefined
    readonly databaseUrl: string | undefined
    /** The address at which other gateways on the same database reach this one: `<host>:<port>`. */
    readonly cluster: string | undefined
    /** The role of this gateway: serve requests (`api`), run executions and jobs (`runner`), or both (`all`). */
    readonly role: "all" | "api" | "runner"
    readonly blobs: BlobPlace
    /** The id that a refusal has named: blobs with it, or without any, are taken over for this database. */
    readonly blobsAdopt: string | undefined
    /** Hours that unused blobs wait before they are removed. */
    readonly unusedHours: number
    /** Bytes of blobs that are read in a second to find damage; 0 for none. */
    readonly checkRate: number
    /** Days from the beginning of one check of all blobs to that of the next. */
    readonly checkDays: number
    readonly logLevel: "debug" | "info" | "warn" | "error" | "none"
    /** Base URL of an OTLP receiver. */
    readonly otlp: string | undefined
    readonly limits: Limits
    /** Maximum number of concurrent executions: in this gateway, and of each tenant. Further ones stay `PENDING`. */
    readonly runs: { readonly all: number; readonly each: number }
    /** Maximum number of concurrent runs of jobs: in this gateway, and of each tenant. Further jobs wait. */
    readonly jobs: { readonly all: number; readonly each: number }
    /** Maximum number of `PENDING` executions of each tenant. */
    readonly tenantQueue: number
    readonly ceilings: RunCeilings
    /** Connections to the database of the indices that all runs of this gateway share. */
    readonly runConnections: number
    /** Maximum number of output lines of a run. */
    readonly outputLines: number
    /** Folders outside of the configuration that runs of every tenant may use, unless the access file says otherwise. */
    readonly roots: Roots
    /** Where runs may connect to besides public addresses: `<host>[:<port>]` or `<address>/<prefix>`. */
    readonly outbound: ReadonlyArray<string>
    /** Storage limits of each tenant: bytes and number of versions. Undefined means no limit. */
    readonly quota: { readonly bytes: number | undefined; readonly entries: number | undefined }
    /** What is kept of each tenant's history. */
    readonly retention: Rules
    /** Bytes of memory that the answers and uploads under way may take: in all, and those of each tenant. */
    readonly requestMemory: { readonly all: number; readonly each: number }
    /** Bytes per second that a client takes at least while there is something to send to it. */
    readonly sendRate: number
    /** Bytes a second that the body of a request must bring. */
    readonly uploadRate: number
    /** Milliseconds that a storage has to answer before the request fails with 504. */
    readonly storageDeadline: number
    /** Milliseconds that running requests have to finish when the gateway stops. */
    readonly stopPatience: number
  }
>()("flow/shared/Settings") {}

/** The files and folders that the gateway keeps for itself: no program of users and no root may open them. */
export const ownPlaces = (settings: Settings["Service"]): ReadonlyArray<OwnPlace> => {
  const { auth, blobs, conf, data, secrets, tls } = settings
  const places: ReadonlyArray<readonly [setting: string, path: string | undefined]> = [
    ["FLOW_CONF", conf],
    ["FLOW_DATA", data],
    ["FLOW_BLOBS", blobs.kind === "disk" ? blobs.root : undefined],
    ["FLOW_AUTH", auth],
    ["FLOW_TLS_KEY", tls?.key],
    ["FLOW_SECRETS", secrets.folder],
    ["FLOW_SECRETS_KEY_FILE", secrets.keyFile]
  ]
  return places.flatMap(([setting, path]) => (path === undefined ? [] : [{ setting, path }]))
}

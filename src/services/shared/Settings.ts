import { Context } from "effect"
import type { BlobPlace } from "../../protocol/Places.ts"
import type { TenantId } from "./Tenant.ts"

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

/** The settings of the whole gateway, validated. */
export class Settings extends Context.Service<
  Settings,
  {
    readonly host: string
    readonly port: number
    /** Names under which browsers and proxies reach the gateway, besides names without a dot and IP addresses. */
    readonly hosts: ReadonlyArray<string>
    /** Folder of the configuration: `platform.yaml` and `tenants/<tenant>/…`. */
    readonly conf: string
    /** The folder of the embedded PostgreSQL, the blobs and the runs. */
    readonly data: string
    readonly defaultTenant: TenantId
    readonly databaseUrl: string | undefined
    /** The address at which other gateways on the same database reach this one: `<host>:<port>`. */
    readonly cluster: string | undefined
    /** The role of this gateway: serve requests (`api`), run executions and jobs (`runner`), or both (`all`). */
    readonly role: "all" | "api" | "runner"
    readonly blobs: BlobPlace
    readonly logLevel: "debug" | "info" | "warn" | "error" | "none"
    /** Base URL of an OTLP receiver. */
    readonly otlp: string | undefined
    readonly limits: Limits
    /** Maximum number of concurrent runs: in this gateway, and of each tenant. Further runs stay `PENDING`. */
    readonly runs: { readonly all: number; readonly each: number }
    /** Maximum number of output lines of a run. */
    readonly outputLines: number
    /** Where runs may connect to besides public addresses: `<host>[:<port>]` or `<address>/<prefix>`. */
    readonly outbound: ReadonlyArray<string>
    /** Storage limits of each tenant: bytes and number of versions. Undefined means no limit. */
    readonly quota: { readonly bytes: number | undefined; readonly entries: number | undefined }
    /** Milliseconds that a storage has to answer before the request fails with 504. */
    readonly storageDeadline: number
    /** Milliseconds that running requests have to finish when the gateway stops. */
    readonly stopPatience: number
  }
>()("flow/shared/Settings") {}

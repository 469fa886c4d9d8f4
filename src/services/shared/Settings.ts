import { Context } from "effect"
import type { BlobPlace } from "../../protocol/Places.ts"

/** Limits on requests: sizes in bytes. A request over one of them is answered 413 with the limit's name and value. */
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
 * The folder of what a tenant's runs write: `<root>/<tenant>/data/`. It lies beside the blobs of a disk, and stays on
 * this machine when the blobs are elsewhere.
 */
export const dataRoot = (settings: { readonly data: string; readonly blobs: BlobPlace }): string =>
  settings.blobs.kind === "disk" ? settings.blobs.root : `${settings.data}/blobs`

/** What the whole gateway is set to, already checked. */
export class Settings extends Context.Service<
  Settings,
  {
    readonly host: string
    readonly port: number
    /** Names under which browsers and proxies reach the gateway, besides names without a dot and IP addresses. */
    readonly hosts: ReadonlyArray<string>
    /** Folder of the configuration: `platform.yaml` and `tenants/<tenant>/…`. */
    readonly conf: string
    /** Folder of the embedded PostgreSQL, the blobs and the runs. */
    readonly data: string
    readonly defaultTenant: string
    readonly databaseUrl: string | undefined
    /** Where the other gateways on the same database reach this one: `<host>:<port>`. */
    readonly cluster: string | undefined
    /** What this gateway does: serve requests (`api`), run executions and jobs (`runner`), or both. */
    readonly role: "all" | "api" | "runner"
    readonly blobs: BlobPlace
    readonly logLevel: "debug" | "info" | "warn" | "error" | "none"
    /** Base address of an OTLP receiver. */
    readonly otlp: string | undefined
    readonly limits: Limits
    /** Runs that go on at once in this gateway, and of each tenant; the others are `PENDING`. */
    readonly runs: { readonly all: number; readonly each: number }
    /** Lines that a run may print. */
    readonly outputLines: number
    /** What each tenant may store in all: bytes and versions; without a limit where there is none. */
    readonly quota: { readonly bytes: number | undefined; readonly entries: number | undefined }
    /** Milliseconds that a storage has to answer before the request is answered 504. */
    readonly storageDeadline: number
    /** Milliseconds that requests under way have when the gateway is told to stop. */
    readonly stopPatience: number
  }
>()("flow/shared/Settings") {}

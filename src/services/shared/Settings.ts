import { Context } from "effect"

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

/** What the whole gateway is set to, already checked. */
export class Settings extends Context.Service<
  Settings,
  {
    readonly host: string
    readonly port: number
    /** Folder of the configuration: `platform.yaml` and `tenants/<tenant>/…`. */
    readonly conf: string
    /** Folder of the embedded PostgreSQL, the blobs and the runs. */
    readonly data: string
    readonly defaultTenant: string
    readonly databaseUrl: string | undefined
    /** Folder of the blobs. */
    readonly blobs: string
    readonly logLevel: "debug" | "info" | "warn" | "error" | "none"
    /** Base address of an OTLP receiver. */
    readonly otlp: string | undefined
    readonly limits: Limits
    /** Milliseconds that a storage has to answer before the request is answered 504. */
    readonly storageDeadline: number
  }
>()("flow/shared/Settings") {}

import { Redacted } from "effect"
import type { TenantDefinitions } from "../languages/grok/TenantDefinitions.ts"
import type { Flowline } from "./Flowline.ts"
import type { BlobPlace, SearchAddress } from "./Places.ts"
import type { ResolvedReferences } from "./References.ts"

/** Argument of a child that makes room for another one when it had to compile its modules itself. */
export const leaveWhenCold = "--leave-when-cold"

/** One run of a flowline. `epoch` counts the attempts of the execution from 1. */
export interface RunSpec {
  readonly tenant: string
  readonly executionId: string
  readonly epoch: number
  readonly flowline: Flowline
  /** What the flowline refers to. */
  readonly references?: ResolvedReferences
  /** The grok patterns that the tenant brings along, when a node may use them. */
  readonly patterns?: TenantDefinitions
  /** Python files among the tenant's artifacts, name and text, when the flowline may use them. */
  readonly modules?: ReadonlyArray<readonly [name: string, text: string]>
  /** What the positions of the inputs are kept under; the execution's id unless something outlives it. */
  readonly scope?: string
  /**
   * Whether it is kept running: without a time limit of its own it has none, and its output is limited by the second.
   */
  readonly lasting?: boolean
  /** Where the inputs stood when the last attempt with this scope saved them, by component. */
  readonly positions?: Readonly<Record<string, unknown>>
}

/** What one run may write. */
export interface RunLimits {
  /** Lines and bytes that one run may print. */
  readonly outputLines: number
  readonly outputBytes: number
  /** Bytes that one run may write to data files, and the same for its archive before compression. */
  readonly fileBytes: number
}

/**
 * What the parent writes, as one line of JSON, to a child's standard input. The pipe then stays open: its end tells the
 * child that the gateway is gone.
 */
export interface Order extends RunLimits {
  readonly blobs: BlobPlace
  /** Where the run finds the tenant's indices; absent when there are none, or nothing searches. */
  readonly search?: SearchAddress | undefined
  /** What the run may use of memory, MiB. */
  readonly memoryMib: number
  readonly spec: RunSpec
  /** The tenant's configuration folder. */
  readonly conf: string
  /** The tenant's data folder: finished files. */
  readonly data: string
  /** Unfinished data files of this run, on the volume of `data`; the parent removes it when the child is gone. */
  readonly unfinished: string
  /** Scratch space of this run; the parent removes it too. */
  readonly scratch: string
  readonly archiveLevel: number
}

/** The order as one line. It is the only place where credentials are written out. */
export const encodeOrder = (order: Order): string =>
  JSON.stringify({
    ...order,
    blobs:
      order.blobs.kind === "disk"
        ? order.blobs
        : { ...order.blobs, credentials: Redacted.value(order.blobs.credentials) },
    ...(order.search === undefined ? {} : { search: { ...order.search, url: Redacted.value(order.search.url) } })
  })

/** Reads what {@link encodeOrder} wrote. */
export const decodeOrder = (line: string): Order => {
  const { blobs, search, ...order } = JSON.parse(line)
  return {
    ...order,
    blobs: blobs.kind === "disk" ? blobs : { ...blobs, credentials: Redacted.make(blobs.credentials) },
    ...(search === undefined ? {} : { search: { ...search, url: Redacted.make(search.url) } })
  }
}

import { Context } from "effect"
import { stopGrace } from "../../protocol/Liveness.ts"
import type { BlobPlace, SearchAddress } from "../../protocol/Places.ts"
import type { RunLimits } from "../../protocol/RunProtocol.ts"

/** How runs are started, and what they may use. Sizes ending in `Mib` are in MiB, the others in bytes. */
export interface EngineSettings extends RunLimits {
  /** The configuration folder: a run of a tenant reads `<confRoot>/tenants/<tenant>/`. */
  readonly confRoot: string
  /**
   * A run of a tenant writes `<dataRoot>/<tenant>/data/`, by way of `<dataRoot>/<tenant>/unfinished/<gateway>/<run>/`.
   */
  readonly dataRoot: string
  /** Scratch space on local disk, such as archive entries that wait for their turn. */
  readonly tempRoot: string
  /** Where a run keeps its archive: what the child needs to build its own `Blobs`. */
  readonly blobs: BlobPlace
  /** Where runs find the tenant's indices; absent when there are none. */
  readonly search?: SearchAddress | undefined
  /** JavaScript heap of a run that does not set `memory_mib`. */
  readonly memoryMib: number
  /** What a run's processes may hold together beyond its heap: code, stacks, buffers. */
  readonly memoryAllowanceMib: number
  /** Longest run that does not set `timeout_seconds`. */
  readonly timeoutSeconds: number
  /** Deflate level of archives, 0 (stored) to 9. */
  readonly archiveLevel: number
  /** Time between the polite signal and the hard one. */
  readonly graceMillis: number
  /** Whether runs end when their gateway is silent for seconds, as another one takes them over then. */
  readonly lifeSigns: boolean
  /** Whether a started child waits for the next run, and how long after the last start it is made. */
  readonly warm: boolean
  readonly warmDelayMillis: number
  /** The program of the child; by default the product's own `run`. */
  readonly entry?: URL
}

type Places = "confRoot" | "dataRoot" | "tempRoot" | "blobs"

/** The settings of the engine that runs flowlines on this machine. */
export class EngineConfig extends Context.Service<EngineConfig, EngineSettings>()("flow/engines/EngineConfig") {
  /** Settings with the product's defaults for everything but the places. */
  static readonly settings = (given: Pick<EngineSettings, Places> & Partial<EngineSettings>): EngineSettings => ({
    memoryMib: 512,
    memoryAllowanceMib: 256,
    timeoutSeconds: 86_400,
    outputLines: 100_000,
    outputBytes: 64 * 1024 * 1024,
    fileBytes: 64 * 1024 ** 3,
    archiveLevel: 5,
    graceMillis: stopGrace,
    lifeSigns: false,
    warm: true,
    warmDelayMillis: 10,
    ...given
  })
}

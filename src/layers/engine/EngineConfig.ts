import { Context } from "effect"
import type { PythonPlace, RunIsolation } from "../../protocol/Isolation.ts"
import { stopGrace } from "../../protocol/Liveness.ts"
import type { BlobPlace, SearchAddress } from "../../protocol/Places.ts"
import type { RunLimits } from "../../protocol/RunProtocol.ts"
import type { RunCeilings } from "../../services/shared/settings/Settings.ts"
import { memoryKills } from "./MemoryKills.ts"

/** How runs are started, and their limits. Sizes ending in `Mib` are in MiB, the others in bytes. */
export interface EngineSettings extends RunLimits {
  /** The configuration folder; a run of a tenant reads `<confRoot>/tenants/<tenant>/`. */
  readonly confRoot: string
  /**
   * The data folder; a run of a tenant writes `<dataRoot>/<tenant>/data/`, first under
   * `<dataRoot>/<tenant>/unfinished/<gateway>/<run>/`.
   */
  readonly dataRoot: string
  /** Temporary space on a local disk, such as for archive entries that wait for their turn. */
  readonly tempRoot: string
  /** Storage of archives; the child builds its own `Blobs` from it. */
  readonly blobs: BlobPlace
  /** Address of the tenant's indices; absent where there is no search. */
  readonly search?: SearchAddress | undefined
  /** Connections to the database of the indices that all runs share. */
  readonly searchConnections: number
  /** Addresses that nodes may connect to besides public ones; see drivers/Outbound. */
  readonly outbound: ReadonlyArray<string>
  /** The ports that no node may listen on, because the gateway does. */
  readonly ownPorts: () => ReadonlyArray<number>
  /** JavaScript heap in MiB of a run without `memory_mib`. */
  readonly memoryMib: number
  /** Memory in MiB of a run's processes beyond the heap: code, stacks, buffers. */
  readonly memoryAllowanceMib: number
  /** Time limit in seconds of a run without `timeout_seconds`. */
  readonly timeoutSeconds: number
  /** Maximum time to start a process on a busy machine, in milliseconds. */
  readonly startMillis: number
  /**
   * Maximum time in milliseconds until a child that was kept ready answers. After that it counts as frozen and another one
   * is started. It may still be starting itself.
   */
  readonly answerMillis: number
  /** Deflate level of archives, 0 (stored) to 9. */
  readonly archiveLevel: number
  /** Milliseconds between SIGTERM and SIGKILL. */
  readonly graceMillis: number
  /**
   * The open file that holds the last sign of life of this gateway. With it a run ends when there is none for seconds,
   * because another gateway then takes over.
   */
  readonly lifeSigns?: number | undefined
  /** How many processes the system has killed for lack of memory; undefined where it does not tell. */
  readonly memoryKills: () => number | undefined
  /** Whether a child is started in advance for the next run, and how long after the last start. */
  readonly warm: boolean
  /** How many children are kept warm; one if absent. */
  readonly spares?: (() => number) | undefined
  readonly warmDelayMillis: number
  /** Processors that were idle since the last call, on average; by default those of the machine. */
  readonly idle?: (() => number) | undefined
  /** How a tenant's Python nodes are run. Without it they run as the gateway's user. */
  readonly python?: ((tenant: string) => Promise<PythonPlace>) | undefined
  /** How children are isolated from the machine. Without it they are not. */
  readonly isolation?: (() => Promise<RunIsolation>) | undefined
  /** The child's program; by default the product's `run`. */
  readonly entry?: URL
}

type Places = "confRoot" | "dataRoot" | "tempRoot" | "blobs"

/** The settings of the engine for this machine. */
export class EngineConfig extends Context.Service<EngineConfig, EngineSettings>()("flow/engines/EngineConfig") {
  /** Settings with defaults for everything but the places. */
  static readonly settings = ({
    ceilings,
    ...given
  }: Pick<EngineSettings, Places> & Partial<EngineSettings> & { readonly ceilings?: RunCeilings }): EngineSettings => ({
    searchConnections: 48,
    memoryMib: Math.min(512, ceilings?.memoryMib ?? 512),
    memoryAllowanceMib: 256,
    timeoutSeconds: Math.min(86_400, ceilings?.seconds ?? 86_400),
    startMillis: 60_000,
    answerMillis: 10_000,
    outputLines: 100_000,
    outputBytes: 64 * 1024 * 1024,
    fileBytes: 64 * 1024 ** 3,
    archiveLevel: 5,
    outbound: [],
    ownPorts: () => [],
    graceMillis: stopGrace,
    memoryKills,
    warm: true,
    warmDelayMillis: 10,
    ...given
  })
}

import { Context, Effect, Layer } from "effect"
import type { StorageUnreachable } from "../../errors/StorageUnreachable.ts"
import { RetentionRounds } from "../retention/RetentionRounds.ts"
import type { Mode, Rule } from "../shared/settings/RetentionRules.ts"
import { Settings } from "../shared/settings/Settings.ts"

/** A gateway on the database. */
export interface GatewayEntry {
  /** `<host>:<pid>`, as jobs and executions name it. */
  readonly name: string
  /** `<host>:<port>` at which the others reach it; null without `FLOW_CLUSTER`. */
  readonly address: string | null
  /** Time of its last heartbeat, ISO 8601. */
  readonly seenAt: string
  /** Whether it is the one that answers. */
  readonly answering: boolean
  /** Executions and jobs that run there. */
  readonly executions: number
  readonly jobs: number
}

/** The gateways that share the database. */
export class GatewayList extends Context.Service<
  GatewayList,
  { readonly all: Effect.Effect<ReadonlyArray<GatewayEntry>, StorageUnreachable> }
>()("flow/platform/GatewayList") {}

/** What is kept of one kind of history, for each tenant; null for no limit. */
interface RetentionLimits {
  readonly kind: "executions" | "archives" | "versions" | "audit" | "documents"
  readonly setting: string
  readonly ageSeconds: number | null
  readonly number: number | null
  readonly bytes: number | null
}

interface InstallationView {
  readonly version: string
  readonly gateways: ReadonlyArray<GatewayEntry>
  readonly retention: {
    readonly mode: Mode
    /** When the gateway that answers looks for old history next, ISO 8601; null when it never does. */
    readonly nextRoundAt: string | null
    readonly keeps: ReadonlyArray<RetentionLimits>
  }
}

const kinds = ["executions", "archives", "versions", "audit", "documents"] as const

const keeping = (kind: RetentionLimits["kind"], { age, number, bytes }: Rule): RetentionLimits => ({
  kind,
  setting: `FLOW_KEEP_${kind.toUpperCase()}`,
  ageSeconds: age === undefined ? null : age / 1000,
  number: number ?? null,
  bytes: bytes ?? null
})

/** Tells of the installation: its gateways, and what they keep. */
export class Installation extends Context.Service<
  Installation,
  { readonly view: Effect.Effect<InstallationView, StorageUnreachable> }
>()("flow/platform/Installation") {
  static readonly layer = (version: string) =>
    Layer.effect(
      Installation,
      Effect.gen(function* () {
        const { all } = yield* GatewayList
        const rounds = yield* RetentionRounds
        const { retention } = yield* Settings
        return Installation.of({
          view: Effect.map(all, (gateways) => {
            const next = rounds.nextAt()
            return {
              version,
              gateways,
              retention: {
                mode: retention.mode,
                nextRoundAt: next === undefined ? null : new Date(next).toISOString(),
                keeps: kinds.map((kind) => keeping(kind, retention[kind]))
              }
            }
          })
        })
      })
    )
}

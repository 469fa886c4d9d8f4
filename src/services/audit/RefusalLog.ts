import { Effect, Layer } from "effect"
import { inBackground } from "../shared/process/Background.ts"
import { observeCounter } from "../shared/process/ObservableMetrics.ts"
import { type Refusal, Refusals } from "../shared/security/Refusals.ts"
import { TenantId, Tenants } from "../shared/Tenant.ts"
import { AuditStore, type Chain, type NewEntry } from "./AuditStore.ts"

/** Maximum number of different refusals in a second; further ones are counted in one row. */
const mostApart = 500

/** Rows that wait while they cannot be written. Further ones are lost. */
const mostWaiting = 2000

/** Rows that are written in one transaction. */
const batch = 200

/** Longest target that is kept, in characters. */
const longest = 512

interface Counted {
  readonly refusal: Refusal
  count: number
}

const principalOf = ({ principal }: Refusal) => principal?.id ?? "unauthenticated"

const keyOf = (refusal: Refusal): string =>
  JSON.stringify([
    principalOf(refusal),
    refusal.remote,
    refusal.tenant,
    refusal.action,
    refusal.status,
    refusal.outcome,
    refusal.isHidden
  ])

/** The row that stands for the refusals beyond {@link mostApart}. */
const further: Refusal = {
  tenant: undefined,
  principal: undefined,
  action: "audit.further",
  target: "",
  outcome: "refused",
  status: 0,
  requestId: "",
  remote: null,
  isHidden: false
}

const rowOf = ({ refusal, count }: Counted): NewEntry => ({
  principal: principalOf(refusal),
  method: refusal.principal?.method ?? "none",
  action: refusal.action,
  target: refusal.target.slice(0, longest),
  outcome: refusal.outcome,
  status: refusal.status === 0 ? null : refusal.status,
  requestId: refusal.requestId.slice(0, longest),
  remote: refusal.remote,
  before: null,
  after: null,
  count
})

/** Counts equal refusals until they are taken. */
export class RefusalCounts {
  #counted = new Map<string, Counted>()

  add(refusal: Refusal): void {
    const key = keyOf(refusal)
    const known = this.#counted.get(key)
    if (known !== undefined) known.count++
    else if (this.#counted.size < mostApart) this.#counted.set(key, { refusal, count: 1 })
    else {
      const rest = this.#counted.get("")
      if (rest === undefined) this.#counted.set("", { refusal: further, count: 1 })
      else rest.count++
    }
  }

  take(): ReadonlyArray<Counted> {
    const taken = [...this.#counted.values()]
    this.#counted = new Map()
    return taken
  }
}

/**
 * Writes refusals in the background, once a second: a request does not wait for its row, and equal refusals of a second
 * are one row with their number. While the database is away a bounded number of rows waits; what is lost is counted.
 */
export const layer = Layer.effect(
  Refusals,
  Effect.gen(function* () {
    const store = yield* AuditStore
    const tenants = yield* Tenants
    const counts = new RefusalCounts()
    let waiting: Array<{ readonly chain: Chain; readonly row: NewEntry }> = []

    let lost = 0
    const description = "Refusals that could not be written to the audit"
    yield* observeCounter("flow_audit_lost_total", { description }, () => lost)

    const lose = Effect.fnUntraced(function* (rows: typeof waiting) {
      if (rows.length === 0) return
      const number = rows.reduce((sum, { row }) => sum + row.count, 0)
      lost += number
      yield* Effect.logError(`${number} refusals are lost to the audit, because it could not be written`)
    })

    /** Names of tenants that do not exist have no chain, and asking for one is no refusal. */
    const prepare = Effect.fnUntraced(function* (counted: Counted) {
      const { tenant, isHidden } = counted.refusal
      const exists = tenant !== undefined && (yield* Effect.orElseSucceed(tenants.exists(tenant), () => false))
      if (isHidden && !exists) return
      waiting.push({ chain: exists ? TenantId(tenant) : undefined, row: rowOf(counted) })
    })

    const write = Effect.gen(function* () {
      for (const chain of new Set(waiting.map((one) => one.chain))) {
        for (;;) {
          const some = waiting.filter((one) => one.chain === chain).slice(0, batch)
          if (some.length === 0) break
          yield* store.append(
            chain,
            some.map(({ row }) => row)
          )
          const written = new Set(some)
          waiting = waiting.filter((one) => !written.has(one))
        }
      }
    })

    const flush = Effect.gen(function* () {
      yield* Effect.forEach(counts.take(), prepare, { discard: true })
      const written = yield* Effect.exit(write)
      yield* lose(waiting.splice(mostWaiting))
      return yield* written
    })

    yield* Effect.addFinalizer(() =>
      Effect.andThen(
        Effect.ignore(flush),
        Effect.suspend(() => lose(waiting))
      )
    )
    yield* inBackground("Writing refusals to the audit", flush, "1 second")
    return Refusals.of({ note: (refusal) => counts.add(refusal) })
  })
)

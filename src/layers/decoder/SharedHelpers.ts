import { Effect } from "effect"
import type { Overloaded } from "../../errors/Overloaded.ts"
import { FairSemaphore, type FairSemaphoreLimits } from "../../services/shared/capacity/FairSemaphore.ts"
import { observeQueue } from "../../services/shared/process/ObservableMetrics.ts"
import { TenantId } from "../../services/shared/Tenant.ts"
import { Helper, type Limits, type Start } from "./Helper.ts"

/** Stands for the tenant of files that belong to no tenant. */
const noTenant = TenantId("")

/** Shares helpers between tenants in turns, and keeps them for the next file. */
export const sharing = Effect.fnUntraced(function* <Task, Answer>(
  start: Start<Task, Answer>,
  limits: Limits,
  places: FairSemaphoreLimits<Overloaded>,
  queue: string
) {
  const turns = new FairSemaphore(places)
  yield* observeQueue(queue, turns)
  const made = new Set<Helper<Task, Answer>>()
  const idle: Array<Helper<Task, Answer>> = []
  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      for (const helper of made) helper.stop()
    })
  )
  /** Takes the most recently used helper, because it is still running. */
  const take = Effect.suspend(() => {
    const helper = idle.pop() ?? new Helper(start, limits)
    made.add(helper)
    return Effect.as(helper.begin(), helper)
  })
  const giveBack = (helper: Helper<Task, Answer>) => {
    helper.end()
    idle.push(helper)
  }
  /** A helper for one file of the tenant, until the scope ends. */
  return (tenant: TenantId = noTenant) =>
    Effect.andThen(
      turns.place(tenant),
      Effect.acquireRelease(take, (helper) => Effect.sync(() => giveBack(helper)))
    )
})

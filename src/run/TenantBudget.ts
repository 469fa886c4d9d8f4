import { Failure } from "../drivers/Failure.ts"
import type { Documents } from "../nodes/ports/Documents.ts"
import { type Allowances, overLimit, type RunLimit } from "../protocol/Allowances.ts"

/** What a run may still add to what its tenant has stored. */
export class TenantBudget {
  readonly #tenant: string
  readonly #allowances: Allowances
  readonly #used = new Map<RunLimit, number>()

  constructor(tenant: string, allowances: Allowances = {}) {
    this.#tenant = tenant
    this.#allowances = allowances
  }

  /** Counts what is about to be written; fails when it is more than the limit leaves. */
  spend(limit: RunLimit, amount: number): void {
    const allowance = this.#allowances[limit]
    if (allowance === undefined) return
    const used = (this.#used.get(limit) ?? allowance.used) + amount
    if (used > allowance.value) throw new Failure(overLimit(this.#tenant, limit, allowance.value, used))
    this.#used.set(limit, used)
  }

  /** Counts anew from what is in use now. */
  recount(limit: RunLimit, used: number): void {
    if (this.#allowances[limit] !== undefined) this.#used.set(limit, used)
  }

  has(limit: RunLimit): boolean {
    return this.#allowances[limit] !== undefined
  }
}

/** What a tenant's indices hold. */
export interface IndexUsage {
  readonly documents: number
  readonly bytes: number
}

/** Milliseconds after which the indices are measured again: other runs write and delete documents, too. */
const measuredFor = 10_000

/**
 * Documents whose writes respect the tenant's limits. Between two measurements the usage is an upper bound: a
 * replacement counts as a new document, with the bytes of its JSON. A write that seems too much is refused only after a
 * new measurement.
 */
export const budgeted = (documents: Documents, budget: TenantBudget, measure: () => Promise<IndexUsage>): Documents => {
  if (!budget.has("documents") && !budget.has("documentBytes")) return documents
  let measuredAt = Number.NEGATIVE_INFINITY
  const look = async () => {
    const { documents: count, bytes } = await measure()
    budget.recount("documents", count)
    budget.recount("documentBytes", bytes)
    measuredAt = performance.now()
  }
  return {
    ...documents,
    write: async (index, given) => {
      if (given.length === 0) return documents.write(index, given)
      const bytes = budget.has("documentBytes")
        ? Buffer.byteLength(JSON.stringify(given.map(({ source }) => source)))
        : 0
      const spend = () => {
        budget.spend("documents", given.length)
        budget.spend("documentBytes", bytes)
      }
      let isFresh = performance.now() - measuredAt < measuredFor
      if (!isFresh) await look()
      try {
        spend()
      } catch (error) {
        if (!isFresh) throw error
        isFresh = false
        await look()
        spend()
      }
      return documents.write(index, given)
    }
  }
}

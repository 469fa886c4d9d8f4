import { createHash } from "node:crypto"
import { Clock, Effect, Layer, Stream } from "effect"
import { Audit } from "../../src/services/audit/Audit.ts"
import { type AuditFilter, AuditStore, type Chain, type NewEntry } from "../../src/services/audit/AuditStore.ts"
import { encodingOf, origin } from "../../src/services/audit/Chain.ts"
import type { AuditEntry } from "../../src/services/audit/Entry.ts"
import { Refusals } from "../../src/services/shared/security/Refusals.ts"
import { spanOf } from "./Lists.ts"

export const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex")

/** The next row of a chain. */
export const chained = (
  last: AuditEntry | undefined,
  tenant: string | null,
  time: string,
  entry: NewEntry
): AuditEntry => {
  const row = { ...entry, tenant, time, seq: (last?.seq ?? 0) + 1, previous: last?.hash ?? origin }
  return { ...row, hash: sha256(encodingOf(row)) }
}

const matches = (row: AuditEntry, { from, to, order: _, ...exact }: AuditFilter): boolean =>
  (from === undefined || Date.parse(row.time) >= from) &&
  (to === undefined || Date.parse(row.time) < to) &&
  Object.entries(exact).every(([name, value]) => row[name as keyof typeof exact] === value)

/** An in-memory audit for tests. It has no transactions: other in-memory stores cannot fail half-way. */
export const layer = Layer.sync(AuditStore, () => {
  const chains = new Map<Chain, Array<AuditEntry>>()
  const append = (chain: Chain, entries: ReadonlyArray<NewEntry>) =>
    Effect.map(Clock.currentTimeMillis, (now) => {
      const rows = chains.get(chain) ?? []
      chains.set(chain, rows)
      const time = new Date(now).toISOString().replace("Z", "000Z")
      for (const entry of entries) rows.push(chained(rows.at(-1), chain ?? null, time, entry))
    })
  return AuditStore.of({
    change: (chain, writes, entryOf) =>
      Effect.tap(writes, (made) => {
        const entry = entryOf(made)
        return entry === undefined ? Effect.void : append(chain, [entry])
      }),
    append,
    list: (chain, filter, span) =>
      Stream.suspend(() => {
        const rows = (chains.get(chain) ?? []).filter((row) => matches(row, filter))
        const { after = Number.POSITIVE_INFINITY, limit } = span
        const found =
          filter.order === "newest"
            ? rows
                .filter(({ seq }) => seq < Number(after))
                .reverse()
                .slice(0, limit)
            : spanOf(rows, span, ({ seq }) => seq)
        return Stream.fromIterable(found.map((row) => ({ key: String(row.seq), json: JSON.stringify(row) })))
      }),
    heads: Effect.sync(() =>
      [...chains].flatMap(([chain, rows]) => {
        const last = rows.at(-1)
        return last === undefined ? [] : [{ chain, seq: last.seq, hash: last.hash }]
      })
    ),
    // Rows of a test do not grow old.
    expire: () => Effect.succeed(0)
  })
})

/** The audit on memory, for tests of a part of the gateway. Refusals are not written. */
export const auditing = Layer.mergeAll(
  Layer.provideMerge(Audit.layer, layer),
  Layer.succeed(Refusals, { note: () => {} })
)

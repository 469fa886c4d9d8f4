import { Console, Effect, Logger, Option } from "effect"
import { Command, Flag } from "effect/cli"
import type { SqlClient } from "effect/sql"
import { connectForCommand } from "../postgres/RunningDatabase.ts"
import { auditChains, type CheckedChain, checkChain } from "../postgres/stores/AuditCheck.ts"
import { databaseVariables } from "../Variables.ts"

const nameOf = (tenant: string): string => (tenant === "" ? "(no tenant)" : tenant)

const lineOf = ({ tenant, rows, first, last, head, fault }: CheckedChain): string => {
  const name = nameOf(tenant)
  if (fault !== undefined) return `${name}: BROKEN at row ${fault.seq}: ${fault.detail}`
  if (first === undefined || last === undefined) return `${name}: no rows`
  return `${name}: ${rows} rows, ${first.seq} (${first.time}) to ${last.seq} (${last.time}), head ${head?.hash}`
}

const plural = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`

const isHash = /^[0-9a-f]{64}$/

/** Checks the chains one after the other. Fails when one of them is broken. */
const verify = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  only: string | undefined,
  since: string | undefined,
  heads: boolean
) {
  if (since !== undefined && !isHash.test(since)) {
    return yield* Effect.fail(
      `--since ${since} is no hash: expected 64 hexadecimal digits, as "audit verify" prints them`
    )
  }
  const [table] = yield* sql<{ found: boolean }>`select to_regclass('audit') is not null as found`
  if (table?.found !== true) return yield* Effect.fail("this database has no audit: start the gateway on it once")
  const all = yield* auditChains(sql)
  if (only !== undefined && !all.includes(only)) return yield* Effect.fail(`there are no rows of the tenant ${only}`)
  let broken = 0
  let found = false
  const chains = only === undefined ? all : [only]
  for (const tenant of chains) {
    const checked = yield* checkChain(sql, tenant, since)
    if (checked.fault !== undefined) broken++
    found ||= checked.hasWanted
    const isPlain = heads && checked.fault === undefined
    yield* Console.log(isPlain ? `${nameOf(tenant)} ${checked.head?.seq} ${checked.head?.hash}` : lineOf(checked))
  }
  if (broken > 0) return yield* Effect.fail(`${plural(broken, "chain")} of ${chains.length} broken`)
  if (since !== undefined && !found) {
    return yield* Effect.fail(`no row has the hash ${since}: rows were replaced since, or retention has removed it`)
  }
  if (!heads) yield* Console.log(`${plural(chains.length, "chain")} whole`)
})

const verifyCommand = Command.make(
  "verify",
  {
    tenant: Flag.String("tenant").pipe(Flag.withDescription("Check only this tenant's chain"), Flag.optional),
    since: Flag.String("since").pipe(
      Flag.withDescription("Check also that a row has this hash, a head that was noted earlier"),
      Flag.optional
    ),
    heads: Flag.Boolean("heads").pipe(
      Flag.withDescription("Print only tenant, number and hash of each last row"),
      Flag.withDefault(false)
    )
  },
  Effect.fnUntraced(
    function* ({ tenant, since, heads }) {
      const databaseUrl = yield* databaseVariables.databaseUrl
      const dataFolder = yield* databaseVariables.data
      const sql = yield* connectForCommand({ databaseUrl, dataFolder })
      yield* verify(sql, Option.getOrUndefined(tenant), Option.getOrUndefined(since), heads)
    },
    Effect.scoped,
    Effect.provide(Logger.layer([]))
  )
).pipe(
  Command.withDescription(
    "Finds changed, missing, added and reordered rows of the audit; exits with 1 if there are any"
  )
)

/** The commands on the audit. They read the database that FLOW_DATABASE_URL or FLOW_DATA names. */
export const command = Command.make("audit").pipe(
  Command.withDescription("Works on the audit"),
  Command.withSubcommands([verifyCommand])
)

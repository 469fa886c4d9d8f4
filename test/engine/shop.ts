import { PgClient } from "@effect/sql-pg"
import { Context, Effect, Layer, Redacted } from "effect"
import * as Reactivity from "effect/reactivity/Reactivity"
import { program } from "../../src/drivers/Programs.ts"
import type { DagNode, Flowline } from "../../src/protocol/Flowline.ts"
import type { RunMessage, RunSpec } from "../../src/protocol/RunProtocol.ts"
import { emptyDatabase } from "../support/postgres.ts"
import { patience } from "../support/process.ts"
import { ended, engine, follow, node, places, printed, settings, spec } from "./support.ts"

/** A database of the tenant's, reached without TLS, and who may reach it. */
export class Shop extends Context.Service<
  Shop,
  { readonly sql: PgClient.PgClient; readonly url: string; readonly outbound: ReadonlyArray<string> }
>()("test/engine/Shop") {}

export const shop = Layer.effect(
  Shop,
  Effect.gen(function* () {
    const url = yield* emptyDatabase
    const address = new URL(Redacted.value(url))
    address.searchParams.set("sslmode", "disable")
    const sql = yield* PgClient.makeClient({ url, connectTimeout: patience })
    return { sql, url: address.href, outbound: [`${address.hostname}:${address.port}`] }
  }).pipe(Effect.provide(Reactivity.layer))
)

/** The run of a flowline in a separate process, which receives the address as a secret. */
export const specOf = (run: Flowline, url: string, more: Partial<RunSpec> = {}): RunSpec => ({
  ...spec(run),
  secrets: Redacted.make({ SHOP: url }),
  ...more
})

export const ref = `\${secret:SHOP}`
export const reader = (given: DagNode["settings"]): DagNode => ({
  ...node("sql_input", { url: ref, ...given }),
  component: "in",
  publish: [{ stream: "out" }, { stream: "errors" }]
})
export const shown = node("show", { format: "json", limit: 1_000_000 }, "in")
export const failures: DagNode = {
  ...node("show", { format: "json", limit: 1_000_000 }),
  component: "failures",
  subscribe: [{ component: "in", stream: "errors" }]
}

export const ran = (run: Flowline, outbound?: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const { url, outbound: allowed } = yield* Shop
    const { root } = yield* places
    const given = settings(root, { entry: program("run"), outbound: outbound ?? allowed })
    const messages = yield* follow(specOf(run, url)).pipe(Effect.provide(engine(given)))
    return { messages, lines: printed(messages), end: ended(messages) }
  })

/** Ends a wait for a run that has failed. */
export const failed = ({ messages }: { readonly messages: ReadonlyArray<RunMessage> }): boolean => {
  const end = messages.find((message) => message._tag === "Ended")
  if (end !== undefined) throw new Error(end.error ?? "the run has ended")
  return false
}

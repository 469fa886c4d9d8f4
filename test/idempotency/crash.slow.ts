import { expect, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { members } from "../cluster/members.ts"
import { freshDatabase } from "../support/postgres.ts"
import { formOf, generator } from "../support/runs.ts"
import { held } from "./held.ts"

const save = (url: string, key: string) =>
  Effect.promise(async () => {
    const headers = { "idempotency-key": key }
    const body = formOf(generator(1, 10))
    const answer = await fetch(`${url}/v1/mytenant/flowline/save`, { method: "POST", headers, body })
    await answer.text()
    return { status: answer.status, replayed: answer.headers.get("idempotency-replayed") }
  })

it.live("a request whose gateway is killed is answered at once elsewhere: with its answer, or it is done now", () =>
  Effect.gen(function* () {
    const cluster = yield* members
    const database = yield* freshDatabase
    const { count, during } = yield* held(database)
    const start = () => cluster.start({ FLOW_DATABASE_URL: Redacted.value(database) })
    const [one, two] = yield* Effect.promise(() => Promise.all([start(), start()]))
    const killed = (gateway: typeof one) => Effect.promise(() => gateway.kill("SIGKILL"))

    // Before the commit: nothing was done.
    yield* during("answer", Effect.forkDetach(save(one.url, "before")), () => killed(one))
    expect(yield* save(two.url, "before")).toEqual({ status: 200, replayed: null })
    expect(yield* count("flowlines")).toBe(1)

    // In the midst of the commit, which PostgreSQL finishes.
    const three = yield* Effect.promise(start)
    yield* during("commit", Effect.forkDetach(save(two.url, "during")), () => killed(two))
    expect(yield* save(three.url, "during")).toEqual({ status: 200, replayed: "true" })
    expect(yield* count("flowlines")).toBe(2)
  })
)

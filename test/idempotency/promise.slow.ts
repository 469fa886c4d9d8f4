import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, layer } from "@effect/vitest"
import { Context, Effect, Fiber, Layer } from "effect"
import { Search } from "../../src/drivers/search/Search.ts"
import { form, manifestOf } from "../resources/support.ts"
import { gateway, TestGateway } from "../support/gateway.ts"
import { freshDatabase } from "../support/postgres.ts"
import { until } from "../support/process.ts"
import { formOf, generator } from "../support/runs.ts"
import { cable, type Held, held } from "./held.ts"

/** The database of the gateway, and the way to it. */
class Database extends Context.Service<Database, Held & { readonly cut: () => void }>()("test/Database") {}

/** It runs nothing: only its writes count here. */
const suite = Layer.unwrap(
  Effect.gen(function* () {
    const url = yield* freshDatabase
    const { cut, url: through } = yield* cable(url)
    const database = { ...(yield* held(url)), cut }
    return Layer.merge(gateway({ databaseUrl: through, role: "api" }), Layer.succeed(Database, database))
  })
)

interface Call {
  readonly method: "POST" | "PUT"
  readonly path: string
  readonly body?: () => FormData | string
  /** The table that gets one row more. */
  readonly table: string
}

const flowline = () => formOf(generator(1, 10))

const save: Call = { method: "POST", path: "flowline/save", body: flowline, table: "flowlines" }

/** Every endpoint that takes a key, after `prepared`. */
const calls: Readonly<Record<string, Call>> = {
  "a save": save,
  "an execution once": { method: "POST", path: "flowline", body: flowline, table: "executions" },
  "an execution": { method: "POST", path: "flowline/FLOWLINE", table: "executions" },
  "an extraction": {
    method: "POST",
    path: "extraction",
    body: () => JSON.stringify({ format: "json", index: "mytenant-some" }),
    table: "executions"
  },
  "an upload": {
    method: "PUT",
    path: "resources/upload",
    body: () => form({ input: { bytes: "b", name: "b.txt" }, manifest: { bytes: manifestOf({ artifact: "new" }) } }),
    table: "artifact_versions"
  },
  "a copy": {
    method: "PUT",
    path: "resources/copy/org/example/tool/b.txt",
    body: () => form({ destination: "copied", embedded: "true" }),
    table: "stored_versions"
  },
  "a registration": {
    method: "PUT",
    path: "resources/register/registered",
    body: () => form({ url: "there.txt" }),
    table: "stored_versions"
  },
  "a file of the registry": {
    method: "POST",
    path: "registry",
    body: () => form({ file: { bytes: "f", name: "f" }, path: "f.txt" }),
    table: "registry_versions"
  },
  "a start of a job": { method: "POST", path: "channels/apache/jobs/local/parse/start", table: "channel_jobs" }
}

const send = ({ method, path, body }: Call, key: string, signal?: AbortSignal) =>
  Effect.flatMap(TestGateway, ({ url }) =>
    Effect.promise(async () => {
      const content = body?.()
      const answer = await fetch(`${url}/v1/mytenant/${path}`, {
        method,
        headers: {
          "idempotency-key": key.replaceAll(" ", "-"),
          ...(typeof content === "string" ? { "content-type": "application/json" } : {})
        },
        ...(content === undefined ? {} : { body: content }),
        ...(signal === undefined ? {} : { signal })
      })
      const text = await answer.text()
      return { status: answer.status, text, replayed: answer.headers.get("idempotency-replayed") }
    })
  )

const prepared = Effect.gen(function* () {
  const { settings, client } = yield* TestGateway
  const tenant = "mytenant"
  const area = join(settings.data, "blobs", tenant, "data")
  mkdirSync(area, { recursive: true })
  writeFileSync(join(area, "there.txt"), "there")
  const { write } = yield* Search
  yield* write(tenant, "mytenant-some", [{ id: "1", source: { a: 1 } }])
  const payload = form({ input: { bytes: "b", name: "b.txt" }, manifest: { bytes: manifestOf({}), name: "m.json" } })
  yield* client.resources.upload({ params: { tenant }, payload })
  const saved = yield* client.flowlines.save({ params: { tenant }, query: {}, payload: flowline() })
  return (call: Call): Call => ({ ...call, path: call.path.replace("FLOWLINE", saved.id) })
})

/** Sends the request and does not wait for its answer. */
const begun = (call: Call, key: string, signal?: AbortSignal) =>
  Effect.map(Effect.forkDetach(send(call, key, signal)), (fiber) => Fiber.join(fiber))

layer(suite, { excludeTestServices: true })("work with an Idempotency-Key", (it) => {
  it.effect("is done with its answer or not at all, and to its end when the client leaves", () =>
    Effect.gen(function* () {
      const { count, during } = yield* Database
      const known = yield* prepared
      for (const [name, call] of Object.entries(calls).map(([name, call]) => [name, known(call)] as const)) {
        const before = yield* count(call.table)
        const client = new AbortController()
        const seen = yield* during("answer", begun(call, name, client.signal), () =>
          Effect.tap(count(call.table), () => Effect.sync(() => client.abort()))
        )
        expect([name, seen]).toEqual([name, before])
        yield* until(count(call.table), (rows) => rows > before)
        const again = yield* send(call, name)
        expect([name, again.status < 300, again.replayed]).toEqual([name, true, "true"])
        expect([name, yield* count(call.table)]).toEqual([name, before + 1])
      }
    })
  )

  it.effect("is refused to a repeat while it is done", () =>
    Effect.gen(function* () {
      const { during, count } = yield* Database
      const before = yield* count("flowlines")
      const { status, text } = yield* during("save", begun(save, "busy"), () => send(save, "busy"))
      expect([status, JSON.parse(text).state]).toEqual([409, "IN_PROGRESS"])
      const again = yield* until(send(save, "busy"), ({ status }) => status === 200)
      expect([again.replayed, yield* count("flowlines")]).toEqual(["true", before + 1])
    })
  )

  it.effect("is not done when its answer cannot be stored: the answer is 504, and a repeat does it", () =>
    Effect.gen(function* () {
      const { during, count } = yield* Database
      const before = yield* count("flowlines")
      const { status } = yield* during("answer", begun(save, "late"), (answer) => answer)
      expect([status, yield* count("flowlines")]).toEqual([504, before])
      // The key stays with its request.
      expect((yield* send({ ...save, path: "flowline" }, "late")).status).toBe(422)
      const again = yield* send(save, "late")
      expect([again.status, again.replayed, yield* count("flowlines")]).toEqual([200, null, before + 1])
    })
  )

  it.effect("is done once when the connection is cut during its commit", () =>
    Effect.gen(function* () {
      const { during, count, cut } = yield* Database
      const before = yield* count("flowlines")
      yield* during("commit", begun(save, "cut"), () => Effect.sync(cut))
      const again = yield* until(send(save, "cut"), ({ status }) => status < 400)
      expect([again.status, again.replayed, yield* count("flowlines")]).toEqual([200, "true", before + 1])
    })
  )
})

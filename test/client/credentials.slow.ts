import { inspect } from "node:util"
import { expect, layer } from "@effect/vitest"
import { Effect, Stream } from "effect"
import { type Credentials, FlowGateway, form, withHeaders } from "../../packages/client/src/FlowGateway.ts"
import { connect, GatewayError } from "../../packages/client/src/promise.ts"
import { sign, signingKey, startIssuer } from "../access/issuer.ts"
import { gatewayWith, password, Rules } from "../access/rules.ts"
import { TestGateway } from "../support/gateway.ts"

const params = { tenant: "mytenant" }
const users = { žofie: { password: "", roles: { mytenant: "admin" } } } as const
const asUser: Credentials = { username: "žofie", password }

const flowline = JSON.stringify({
  runtime: "stream",
  dag: [
    { type: "dataset_generator", settings: { rows: [{ n: 1 }] }, publish: [{ stream: "rows" }] },
    { type: "show", subscribe: [{ component: "dataset_generator", stream: "rows" }] }
  ]
})

/** A file of a form whose bytes come as a stream. */
const streamed = async function* (): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  yield new TextEncoder().encode(flowline)
}

/** Credentials of each kind, for one user. */
const kinds = Effect.gen(function* () {
  const { url } = yield* TestGateway
  const rules = yield* Rules
  const key = yield* signingKey("ES256", "a")
  const issuer = yield* startIssuer([key], 0)
  const roles = [{ claim: "sub", value: "carol", tenant: "mytenant", role: "admin" }] as const
  rules.file = { users, issuers: [{ issuer: issuer.issuer, audience: "flow", roles }] }
  const token = yield* sign(issuer, key)
  const { keys } = yield* FlowGateway(url, { credentials: asUser })
  const { key: apiKey } = yield* keys.create({ params, payload: { name: "client", role: "admin" } })
  let asked = 0
  const renewed = async () => {
    asked += 1
    return token
  }
  const all: Readonly<Record<string, Credentials>> = {
    password: asUser,
    apiKey: { apiKey },
    token: { token },
    promise: { token: renewed },
    effect: { token: Effect.sync(() => token) }
  }
  return {
    url,
    all,
    asked: () => asked,
    secrets: [token, apiKey.slice(13), Buffer.from("nobody:").toString("base64").slice(0, 8)]
  }
})

layer(gatewayWith({ users }, { outbound: ["127.0.0.1"] }), { excludeTestServices: true })("credentials", (it) => {
  it.effect("are sent with calls, uploads and event streams", () =>
    Effect.gen(function* () {
      const { all, asked, url } = yield* kinds
      for (const [kind, credentials] of Object.entries(all)) {
        const { executions, flowlines, follow } = yield* FlowGateway(url, { credentials })
        yield* executions.list({ params, query: {} })
        const payload = form({ file: [streamed(), "one.json"] })
        const { id } = yield* flowlines.executeOnce({ params, payload })
        const items = yield* Stream.runCollect(follow.output({ params: { ...params, id }, query: {} }))
        expect([kind, items.map(({ type }) => type)]).toEqual([kind, ["line", "end"]])
      }
      // Each request of a client fetches its token.
      expect(asked()).toBeGreaterThanOrEqual(3)
    })
  )

  it.effect("are sent by promises, too", () =>
    Effect.gen(function* () {
      const { all, url } = yield* kinds
      yield* Effect.promise(async () => {
        for (const [kind, credentials] of Object.entries(all)) {
          const { flowlines, follow } = connect(url, { credentials })
          const { id } = await flowlines.executeOnce(
            { params, payload: form({ file: [streamed(), "one.json"] }) },
            { onSent: () => {} }
          )
          const types: Array<string> = []
          for await (const { type } of follow.output({ params: { ...params, id }, query: {} })) types.push(type)
          expect([kind, types]).toEqual([kind, ["line", "end"]])
        }
      })
    })
  )

  it.effect("that are missing or wrong are a typed failure, which tells nothing of them", () =>
    Effect.gen(function* () {
      const { secrets, url } = yield* kinds
      const wrong: ReadonlyArray<Credentials | undefined> = [
        undefined,
        { username: "nobody", password: "secret-password" },
        { apiKey: "fgk_00000000_secret-secret-secret-secret-secret-secret-s" },
        { token: "secret.secret.secret" }
      ]
      for (const credentials of wrong) {
        const { executions, follow } = yield* FlowGateway(url, { credentials })
        const request = { params: { ...params, id: "none" }, query: {} }
        const failures = [
          yield* Effect.flip(executions.list({ params, query: {} })),
          yield* Effect.flip(Stream.runDrain(follow.output(request)))
        ]
        for (const failure of failures) expect(failure).toMatchObject({ _tag: "Unauthorized" })
        const rejected = yield* Effect.promise(() =>
          connect(url, { credentials })
            .executions.list({ params, query: {} })
            .catch((error: unknown) => error)
        )
        expect(rejected).toBeInstanceOf(GatewayError)
        expect(rejected).toMatchObject({ status: 401, type: "/problems/unauthorized" })
        for (const told of [...failures, rejected]) {
          const text = inspect(told, { depth: 20 }) + JSON.stringify(told)
          for (const secret of ["secret", ...secrets]) expect(text).not.toContain(secret)
        }
      }
    })
  )

  it.effect("that cannot be had fail the call, and those of a call replace them", () =>
    Effect.gen(function* () {
      const { url } = yield* kinds
      const token = () => Promise.reject(new Error("signed out"))
      const { executions } = yield* FlowGateway(url, { credentials: { token } })
      const failure = yield* Effect.flip(executions.list({ params, query: {} }))
      expect(failure).toMatchObject({ _tag: "HttpClientError", reason: { cause: { message: "signed out" } } })
      const { executions: ours } = yield* FlowGateway(url, { credentials: asUser })
      const call = ours.list({ params, query: {} })
      yield* call
      expect(yield* Effect.flip(withHeaders({ authorization: "Bearer other" })(call))).toMatchObject({
        _tag: "Unauthorized"
      })
    })
  )
})

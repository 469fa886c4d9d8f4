import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { accessFile, hashOf } from "../access/accessFiles.ts"
import { basic, guardedGateway } from "../access/support.ts"
import { flowlineForm, raw } from "../support/gateway.ts"
import { until } from "../support/process.ts"
import { triggered } from "./support.ts"

const stored = hashOf("secret")
const file = accessFile({
  dev: { stored, roles: { mytenant: "developer" } },
  op: { stored, roles: { mytenant: "operator" } },
  view: { stored, roles: { mytenant: "viewer" } }
})

const send = (user: string | undefined, method: string, path: string, body?: unknown, token?: string) =>
  Effect.gen(function* () {
    const authorization = token === undefined ? user && basic(user, "secret") : `Bearer ${token}`
    const answer = yield* raw(`/v1/mytenant/${path}`, {
      method,
      headers: { "content-type": "application/json", ...(authorization === undefined ? {} : { authorization }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) })
    })
    const text = yield* Effect.promise(() => answer.text())
    return { status: answer.status, body: text === "" ? undefined : JSON.parse(text) }
  })

layer(guardedGateway(file), { excludeTestServices: true })("schedules behind an access file", (it) => {
  it.effect("are made by developers and run by operators; a webhook needs its token and nothing else", () =>
    Effect.gen(function* () {
      const saved = yield* raw("/v1/mytenant/flowline/save", {
        method: "POST",
        headers: { authorization: basic("dev", "secret") },
        body: flowlineForm(triggered)
      })
      const { id } = (yield* Effect.promise(() => saved.json())) as { readonly id: string }
      const definition = { flowline: id, trigger: { webhook: {} } }
      expect((yield* send(undefined, "PUT", "schedules/push", definition)).status).toBe(401)
      expect((yield* send("op", "PUT", "schedules/push", definition)).status).toBe(403)
      const { status, body } = yield* send("dev", "PUT", "schedules/push", definition)
      expect(status).toBe(201)
      expect((yield* send("view", "POST", "schedules/push/run")).status).toBe(403)
      expect((yield* send("op", "POST", "schedules/push/run")).status).toBe(200)

      // The token cannot be replaced by no credentials or by those of an admin, and it is not a key for anything else.
      expect((yield* send(undefined, "POST", "hooks/push", {})).status).toBe(401)
      expect((yield* send("dev", "POST", "hooks/push", {})).status).toBe(401)
      expect((yield* send(undefined, "GET", "schedules", undefined, body.token)).status).toBe(401)
      const fired = yield* send(undefined, "POST", "hooks/push", { a: 1 }, body.token)
      expect([fired.status, fired.body.schedule]).toEqual([202, "push"])

      // The execution names who started it.
      const detail = send("view", "GET", `schedules/push/firings`)
      const ended = yield* until(detail, ({ body }) =>
        (body as ReadonlyArray<{ readonly state: string }>).every(({ state }) => state === "SUCCEEDED")
      )
      expect(ended.body).toHaveLength(2)
    })
  )
})

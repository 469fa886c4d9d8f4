import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { flowlineForm, raw, TestGateway } from "../support/gateway.ts"
import { file, loggedIn, ownPage, password } from "./browser.ts"
import { basic, guardedGateway, replaceAccess } from "./support.ts"

const accept = { accept: "text/event-stream" }

const endless = JSON.stringify({
  runtime: "stream",
  dag: [
    { type: "generator_input", settings: { messages: [{ n: 1 }], rate: 1 }, publish: [{ stream: "s" }] },
    { type: "show", subscribe: [{ component: "generator_input", stream: "s" }] }
  ]
})

/** An answer to a request with a password, whose text may still be on its way. */
const asked = (user: string, path: string, init: RequestInit = {}) =>
  raw(path, { ...init, headers: { ...init.headers, authorization: basic(user, password) } })

layer(guardedGateway(file), { excludeTestServices: true, timeout: "60 seconds" })("an event stream", (it) => {
  it.effect("ends soon after its sender has logged out or lost the role, and goes on for others", () =>
    Effect.gen(function* () {
      const { url } = yield* TestGateway
      const started = yield* asked("root", "/v1/mytenant/flowline", { method: "POST", body: flowlineForm(endless) })
      const { id } = yield* Effect.promise(async () => JSON.parse(await started.text()))
      const output = `/v1/mytenant/flowline/executions/${id}/output`
      const browser = yield* loggedIn()
      const bySession = yield* Effect.promise(() =>
        fetch(new URL(output, url), { headers: { ...ownPage, ...accept, cookie: browser.cookie } })
      )
      const byVera = yield* asked("vera", output, { headers: accept })
      const byRoot = yield* asked("root", output, { headers: accept })
      expect([bySession.status, byVera.status, byRoot.status]).toEqual([200, 200, 200])
      yield* browser.delete("/console/session")
      const rules = JSON.parse(file)
      rules.users.vera.roles = {}
      yield* replaceAccess(JSON.stringify(rules))
      for (const one of [bySession, byVera]) {
        expect(yield* Effect.promise(() => one.text())).not.toContain("event: end")
      }
      // The last one ends with the run.
      const listed = yield* asked("root", "/v1/mytenant/flowline/executions")
      const [{ flowlineId }] = yield* Effect.promise(async () => JSON.parse(await listed.text()))
      yield* asked("root", `/v1/mytenant/flowline/${flowlineId}/executions/${id}`, { method: "DELETE" })
      expect(yield* Effect.promise(() => byRoot.text())).toContain("event: end")
    })
  )
})

import { Effect } from "effect"
import { TestGateway } from "../support/gateway.ts"
import { ask, form, tenant } from "./support.ts"

/** Requests for stored resources, and the stored data. */
export const copy = (name: string, parts: Record<string, string>) =>
  ask(`/v1/${tenant}/resources/copy/${name}`, { method: "PUT", body: form(parts) })
export const move = (name: string, parts: Record<string, string>) =>
  ask(`/v1/${tenant}/resources/move/${name}`, { method: "PUT", body: form(parts) })
export const register = (name: string, parts: Record<string, string>, of = tenant) =>
  ask(`/v1/${of}/resources/register/${name}`, { method: "PUT", body: form(parts) })

export const versions = (name: string) =>
  Effect.gen(function* () {
    const { client } = yield* TestGateway
    const found = yield* Effect.option(client.stored.metadata({ params: { tenant, name }, query: {} }))
    return found._tag === "None" ? [] : found.value.metadata.map(({ version }) => version)
  })
export const content = (name: string, version?: number) =>
  Effect.map(
    ask(`/v1/${tenant}/resources/content/${name}${version === undefined ? "" : `?version=${version}`}`),
    ({ status, text }) => (status === 200 ? text : status)
  )

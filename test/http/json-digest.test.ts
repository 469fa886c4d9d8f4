import { createHash } from "node:crypto"
import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { memoryGateway, raw } from "../support/gateway.ts"

const T = "/v1/mytenant"
const sha256 = (text: string) => `sha-256=:${createHash("sha256").update(text).digest("base64")}:`

layer(memoryGateway(), { excludeTestServices: true })("the digest of a JSON body", (it) => {
  it.effect("is checked by whatever takes one", () =>
    Effect.gen(function* () {
      for (const [method, path] of [
        ["POST", `${T}/extraction`],
        ["POST", `${T}/search`],
        ["PUT", `${T}/schedules/nightly`],
        ["PUT", `${T}/secrets/WORD`],
        ["POST", `${T}/keys`],
        ["PUT", `${T}/channels/some`],
        ["POST", `${T}/flowline/nosuch`]
      ] as const) {
        for (const header of ["content-digest", "repr-digest"]) {
          const send = (digest: string) =>
            Effect.flatMap(
              raw(path, {
                method,
                headers: { "content-type": "application/json", [header]: digest },
                body: '{"unknown":1}'
              }),
              (answer) => Effect.promise(() => answer.text())
            )
          const told = `${header} is not the SHA-256 of what was received`
          expect(JSON.parse(yield* send(sha256("{}")))).toMatchObject({
            status: 400,
            issues: [{ part: "body", detail: told }]
          })
          expect(yield* send(sha256('{"unknown":1}'))).not.toContain(told)
          expect(yield* send("sha-512=:AAAA:")).not.toContain(told)
        }
      }
    })
  )
})

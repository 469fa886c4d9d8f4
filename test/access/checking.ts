import { Clock, Context, Effect, Layer, Logger } from "effect"
import * as Tokens from "../../src/layers/access/Tokens.ts"
import type { AccessFile } from "../../src/services/access/AccessFile.ts"
import { TokenCheck } from "../../src/services/access/TokenCheck.ts"
import { testSettings } from "../support/gateway.ts"
import type { TestIssuer } from "./issuer.ts"
import { movableClock, Rules, rules, rulesOf } from "./rules.ts"

/** The issuer, whose tokens for `flow` give everybody a role. */
export const accepting = (issuer: Pick<TestIssuer, "issuer">, more: object = {}): AccessFile => ({
  issuers: [
    {
      issuer: issuer.issuer,
      audience: "flow",
      roles: [{ claim: "aud", value: "flow", tenant: "mytenant", role: "viewer" }],
      ...more
    }
  ]
})

/** Checks tokens by these rules, as a gateway that has just started. */
export const checking = Effect.fnUntraced(function* (
  file: AccessFile,
  outbound: ReadonlyArray<string> = ["127.0.0.1"],
  logs: Array<string> = []
) {
  const logger = Logger.layer([Logger.make(({ message }) => void logs.push(String(message)))])
  const settings = testSettings({ databaseUrl: "postgres://unused", outbound })
  const services = Tokens.layer.pipe(Layer.provide(rules), Layer.provideMerge(Layer.merge(settings, rulesOf(file))))
  const { after, clock } = yield* movableClock
  const built = Layer.build(Layer.provideMerge(services, logger))
  const context = yield* Effect.provideService(built, Clock.Clock, clock)
  const { verify } = Context.get(context, TokenCheck)
  const inContext = (token: string) =>
    Effect.provideContext(
      Effect.suspend(() => verify(token)),
      context
    )
  return { verify: inContext, after, rules: Context.get(context, Rules), logs }
})

export const carol = (issuer: TestIssuer) => ({
  id: `token:${issuer.issuer}#carol`,
  method: "bearer",
  grants: new Map([["mytenant", "viewer"]])
})

import { Effect, Layer } from "effect"
import { OperatorPoolLimits, type PoolLimits } from "../../src/layers/operators/Pool.ts"
import type { SampleResult } from "../../src/services/operators/OperatorTest.ts"
import { memoryGateway, raw } from "../support/gateway.ts"

/** Limits with which attacks are over soon. */
export const tight: PoolLimits = {
  workers: 2,
  memoryMib: 128,
  sampleMillis: 60,
  hurriedMillis: 20,
  patience: 3,
  turnMillis: 150,
  testMillis: 600,
  sparedMillis: 1,
  graceMillis: 1000,
  compileMillis: 1600,
  idleMillis: 30_000
}

/** The gateway whose operator tests have these limits. */
export const guarded = (limits: PoolLimits) =>
  memoryGateway().pipe(Layer.provide(Layer.succeed(OperatorPoolLimits, limits)))

export interface Answer {
  readonly operator: string
  readonly total: number
  readonly matched: number
  readonly hints: ReadonlyArray<string>
  readonly results: ReadonlyArray<SampleResult>
}

type Parts = Readonly<Record<string, string | Uint8Array<ArrayBuffer>>>

/** Posts an operator test whose parts are files, as `curl -F name=@file` sends them. */
export const post = (operator: string, parts: Parts, init: RequestInit = {}) => {
  const body = new FormData()
  for (const [name, value] of Object.entries(parts)) body.append(name, new Blob([value]), `${name}.txt`)
  return Effect.flatMap(raw(`/v1/flower/${operator}`, { method: "POST", body, ...init }), (response) =>
    Effect.map(
      Effect.promise(() => response.text()),
      (text) => ({ status: response.status, text })
    )
  )
}

/** The answer of a test that succeeds. */
export const test = (operator: string, parts: Parts) =>
  Effect.flatMap(post(operator, parts), ({ status, text }) =>
    status === 200
      ? Effect.sync((): Answer => JSON.parse(text))
      : Effect.die(new Error(`${status}: ${text.slice(0, 500)}`))
  )

/** The status and the problem of a test that is refused. */
export const refused = (operator: string, parts: Parts) =>
  Effect.map(post(operator, parts), ({ status, text }) => ({ status, problem: JSON.parse(text) as unknown }))

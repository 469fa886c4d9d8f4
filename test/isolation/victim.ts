import { copyFileSync, mkdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { expect } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { findPython } from "../../src/drivers/python/Interpreter.ts"
import type { IsolationPart } from "../../src/protocol/Isolation.ts"
import { configuration } from "../support/conf.ts"
import { eventually } from "../support/process.ts"
import { type Running, site } from "../support/process-gateway.ts"
import { tenantOf } from "../support/runs.ts"

/** A node that makes the requested attempts. */
export const hostile = fileURLToPath(new URL("./hostile.py", import.meta.url))
export const isRoot = process.geteuid?.() === 0
export const hasPython = (await findPython()) !== undefined

/** A name for the result, a function of {@link hostile} and its arguments. */
export type Attempt = readonly [name: string, call: string, ...args: ReadonlyArray<string | number>]

/** What every program may ask of Linux without privileges, and no isolated one gets. */
export const hiddenPowers: ReadonlyArray<Attempt> = [
  ...["unshare", "clone", "clone3", "x32"].map((way) => [way, "become_capable", way] as const),
  ...["memfd", "io_uring", "mapping", "shm", "msg", "sem"].map((kind) => [kind, "hold", kind] as const)
]

export type Outcomes = Readonly<Record<string, string>>

export const flowline = (attempts: ReadonlyArray<Attempt>) =>
  JSON.stringify({
    runtime: "pybatch",
    dag: [
      { type: "dataset_generator", settings: { rows: [{}] }, publish: [{ stream: "out" }] },
      {
        type: "hostile",
        settings: { attempts },
        subscribe: [{ component: "dataset_generator", stream: "out" }],
        publish: [{ stream: "tried" }]
      },
      { type: "show", subscribe: [{ component: "hostile", stream: "tried" }] }
    ]
  })

/** What `show` has printed of the attempts. */
export const outcomesOf = (lines: ReadonlyArray<string>): Outcomes =>
  Object.fromEntries(
    lines.map((text) => {
      // Any other output is the failure.
      if (!text.startsWith("{")) throw new Error(lines.join("\n"))
      const { attempt, outcome } = JSON.parse(text) as { readonly attempt: string; readonly outcome: string }
      return [attempt, outcome]
    })
  )

const attackOn = async (url: string, attempts: ReadonlyArray<Attempt>): Promise<Outcomes> => {
  const tenant = tenantOf(url)
  const id = await tenant.run(flowline(attempts))
  const { error, state } = await tenant.ended(id)
  expect([state, error]).toEqual(["SUCCEEDED", null])
  const { lines } = await tenant.get<{ readonly lines: ReadonlyArray<{ readonly text: string }> }>(
    `flowline/executions/${id}/output`
  )
  const outcomes = outcomesOf(lines.map(({ text }) => text))
  expect(Object.keys(outcomes)).toEqual(attempts.map(([name]) => name))
  return outcomes
}

const partsOf = async (url: string): Promise<ReadonlyArray<IsolationPart>> => {
  let parts: ReadonlyArray<IsolationPart> | undefined
  await eventually("readiness tells the isolation", async () => {
    const ready = (await (await fetch(`${url}/health/ready`)).json()) as {
      readonly isolation?: { readonly python: ReadonlyArray<IsolationPart> }
    }
    parts = ready.isolation?.python
    return parts !== undefined
  })
  return parts ?? []
}

/** A real gateway with its own PostgreSQL and a tenant that has the hostile node. */
export class Victim extends Context.Service<
  Victim,
  {
    readonly gateway: Running
    readonly data: string
    readonly conf: string
    /** The statement on isolation in its readiness. */
    readonly parts: ReadonlyArray<IsolationPart>
    /** Runs the attempts, and returns the result of each. */
    readonly attack: (attempts: ReadonlyArray<Attempt>) => Promise<Outcomes>
  }
>()("test/isolation/Victim") {}

export const victim = (variables: Readonly<Record<string, string>> = {}, through: ReadonlyArray<string> = []) =>
  Layer.effect(
    Victim,
    Effect.gen(function* () {
      const conf = yield* configuration
      mkdirSync(join(conf.folderOf("mytenant"), "nodes"), { recursive: true })
      copyFileSync(hostile, join(conf.folderOf("mytenant"), "nodes/hostile.py"))
      const here = yield* site({ embedded: true, variables: { FLOW_CONF: conf.root, ...variables }, through })
      const gateway = yield* Effect.promise(() => here.start({ SECRET_OF_THE_OPERATOR: "s3cret" }))
      const parts = yield* Effect.promise(() => partsOf(gateway.url))
      return { gateway, data: here.data, conf: conf.root, parts, attack: (attempts) => attackOn(gateway.url, attempts) }
    })
  )

/** The port of the PostgreSQL in a data folder. */
export const databasePort = (data: string) =>
  Number(readFileSync(join(data, "postgres/data/postmaster.pid"), "utf8").split("\n")[3])

export const allRefused = (outcomes: Outcomes) => {
  for (const [name, outcome] of Object.entries(outcomes))
    expect([name, outcome]).toEqual([name, expect.stringMatching(/^refused: /)])
}

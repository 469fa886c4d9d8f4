import { expect, it } from "@effect/vitest"
import { Deferred, Effect, Layer, Result, Stream } from "effect"
import { NotFound } from "../../src/errors/NotFound.ts"
import { ChannelFolders, invalidChannel, jobFaults } from "../../src/services/channels/ChannelFolders.ts"
import { ChannelName } from "../../src/services/channels/Job.ts"
import { Conf } from "../../src/services/conf/Conf.ts"
import { Flowlines } from "../../src/services/flowlines/Flowlines.ts"
import { TenantId } from "../../src/services/shared/Tenant.ts"

const tenant = TenantId("t")
const channel = ChannelName("c")
const names = Array.from({ length: 50 }, (_, index) => `job${index}`)
const files = new Map([
  [
    "channels/c/channel_structure.yaml",
    `applications:\n${names.map((name) => `  - { name: ${name}, runtime: stream }\n`).join("")}`
  ],
  ...names.map((name): [string, string] => [`channels/c/${name}.yaml`, name])
])

/** The paths that are opened while an effect runs. */
const opened = <A, E>(use: Effect.Effect<A, E, ChannelFolders>) =>
  Effect.gen(function* () {
    const paths: Array<string> = []
    const conf = Layer.mock(Conf)({
      open: (_, path) => {
        paths.push(path)
        const text = files.get(path)
        if (text === undefined) return Effect.fail(new NotFound({ kind: "file", tenant, id: path }))
        const bytes = new TextEncoder().encode(text)
        return Effect.succeed({
          size: bytes.length,
          lastModified: new Date(0),
          sha256: "",
          read: () => Stream.make(bytes)
        })
      }
    })
    const flowlines = Layer.mock(Flowlines)({
      check: (_, { bytes }) =>
        Effect.succeed({
          flowline: { runtime: "stream", settings: {}, dag: [{ type: "x", settings: {}, subscribe: [], publish: [] }] },
          dag: new TextDecoder().decode(bytes),
          value: {},
          warnings: []
        })
    })
    const result = yield* Effect.provide(use, Layer.provide(ChannelFolders.layer, [conf, flowlines]))
    return { result, paths }
  })

it.effect("a job that starts reads the structure and its own flowline, however many jobs its channel has", () =>
  Effect.gen(function* () {
    const { result, paths } = yield* opened(
      Effect.gen(function* () {
        const folders = yield* ChannelFolders
        const { jobs } = yield* folders.structure(tenant, channel)
        const job = jobs.find(({ name }) => name === "job33")!
        return yield* folders.flowline(tenant, channel, job)
      })
    )
    expect(paths).toEqual(["channels/c/channel_structure.yaml", "channels/c/job33.yaml"])
    const { dag, file } = Result.getOrThrow(result)
    expect([dag, file]).toEqual(["job33", "channels/c/job33.yaml"])
  })
)

/** A look at the flowline of a job, with so many faults. */
const faulty =
  (issues: number, looked: Array<number> = []) =>
  (job: number) =>
    Effect.sync(() => {
      looked.push(job)
      return Result.fail({ file: `${job}.yaml`, issues: Array.from({ length: issues }, () => ({ detail: "wrong" })) })
    })

it.effect("tells 200 faults of its jobs, and looks at no more jobs when there are so many", () =>
  Effect.gen(function* () {
    const looked: Array<number> = []
    const many = Array.from({ length: 1000 }, (_, job) => job)
    const { issues, detail } = invalidChannel(tenant, channel, yield* jobFaults(many, faulty(100, looked)))
    expect(looked.length).toBeLessThan(10)
    expect([issues.length, issues.at(-1), detail]).toEqual([
      201,
      { detail: "There are more issues" },
      "0.yaml: wrong (and many more)"
    ])
    expect((yield* jobFaults([1, 2], faulty(150))).length).toBe(201)
    expect(yield* jobFaults([1, 2, 3, 4, 5], faulty(1))).toEqual(
      [1, 2, 3, 4, 5].map((job) => ({ file: `${job}.yaml`, detail: "wrong" }))
    )
  })
)

it.effect("tells how many faults a structure or a flowline has beyond those that are listed", () =>
  Effect.gen(function* () {
    const structure = [
      ...Array.from({ length: 200 }, () => ({ detail: "wrong" })),
      { detail: "There are 50 more issues" }
    ]
    const told = invalidChannel(tenant, channel, structure)
    expect([told.issues.length, told.issues.at(-1)]).toEqual([201, { detail: "There are 50 more issues" }])
    const flowline = () => Effect.succeed(Result.fail({ file: "a.yaml", issues: structure }))
    const last = Effect.map(jobFaults(["a"], flowline), (issues) => issues.at(-1))
    expect(yield* last).toEqual({ file: "a.yaml", detail: "There are 50 more issues" })
  })
)

it.live("a job whose check takes long holds up no other one", () =>
  Effect.gen(function* () {
    const ninth = yield* Deferred.make<void>()
    const check = (job: number) =>
      Effect.andThen(
        job === 0 ? Deferred.await(ninth) : job === 9 ? Deferred.succeed(ninth, undefined) : Effect.void,
        faulty(1)(job)
      )
    const found = yield* jobFaults(
      Array.from({ length: 10 }, (_, job) => job),
      check
    )
    expect(found.map(({ file }) => file)).toEqual(Array.from({ length: 10 }, (_, job) => `${job}.yaml`))
  })
)

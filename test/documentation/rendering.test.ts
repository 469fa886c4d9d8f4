import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { page } from "../../src/layers/documentation/Page.ts"
import { Renderer } from "../../src/services/documentation/Renderer.ts"
import * as Memory from "../memory/Memory.ts"
import { memoryGateway, raw, served, temporaryFolder, testSettings } from "../support/gateway.ts"

const cells = `a|b\n-|-\n${"c|d\n".repeat(16 * 1024)}`

const withPage = <A, E, R>(make: (conf: string) => Layer.Layer<A, E, R>) =>
  Layer.unwrap(
    Effect.map(temporaryFolder, (conf) => {
      const pages = join(conf, "tenants", "shop", "documentation")
      mkdirSync(pages, { recursive: true })
      writeFileSync(join(pages, "big.md"), cells)
      writeFileSync(join(pages, "small.md"), "# Small")
      return make(conf)
    })
  )

const html = (name: string) =>
  Effect.flatMap(raw(`/v1/shop/documentation/${name}`, { headers: { accept: "text/html" } }), (answer) =>
    Effect.promise(async () => ({ status: answer.status, text: await answer.text() }))
  )

/** Milliseconds of processor that this thread has had. */
const processor = () => {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

it.live("renders a long page beside the gateway's thread", () =>
  Effect.gen(function* () {
    // The first page of all: what is loaded and compiled for it is not measured.
    yield* html("small")
    const before = processor()
    const source = { markdown: cells, file: "big.md", depth: 1 }
    const made = page(source, { ...source, markdown: "" })
    const direct = processor() - before
    const asked = processor()
    const answer = yield* html("big")
    expect(processor() - asked).toBeLessThan(direct / 2)
    expect(answer.status).toBe(200)
    expect(answer.text).toContain(made.slice(made.indexOf("<main>"), made.indexOf("</main>")))
  }).pipe(Effect.provide(withPage((conf) => memoryGateway({ conf }))), Effect.orDie)
)

it.live("renders a page once, however its path is spelled and however many ask at once", () => {
  let renderings = 0
  const counted = Layer.succeed(Renderer, {
    render: () =>
      Effect.sync(() => {
        renderings += 1
        return "rendered"
      })
  })
  const spellings = ["big", "big.md", "b%69g", "%62ig", "bi%67.md", "big"]
  return Effect.gen(function* () {
    const answers = yield* Effect.forEach([...spellings, ...spellings], html, { concurrency: "unbounded" })
    expect(answers.map(({ text }) => text)).toEqual(answers.map(() => "rendered"))
    expect(renderings).toBe(1)
  }).pipe(
    Effect.provide(
      withPage((conf) =>
        served(Layer.merge(Memory.layer, counted)).pipe(
          Layer.provideMerge(testSettings({ databaseUrl: "postgres://unused", conf }))
        )
      )
    ),
    Effect.orDie
  )
})

import { createServer } from "node:http"
import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { type Content, FlowGateway, form, withProgress } from "../../packages/client/src/FlowGateway.ts"
import { connect } from "../../packages/client/src/promise.ts"
import { memoryGateway, TestGateway } from "../support/gateway.ts"

const params = { tenant: "mytenant" }
const chunk = new Uint8Array(64 * 1024)
const mebibytes = 1024 * 1024

const chunks = async function* (bytes: number) {
  for (let made = 0; made < bytes; made += chunk.length) yield chunk
}

layer(memoryGateway(), { excludeTestServices: true })("an upload", (it) => {
  it.effect.each<readonly [name: string, content: () => Content]>([
    ["a stream", () => chunks(3 * mebibytes)],
    ["a stream of the platform", () => new Blob([new Uint8Array(3 * mebibytes)]).stream()],
    ["a file", () => new File([new Uint8Array(3 * mebibytes)], "other.bin")],
    ["bytes", () => new Uint8Array(3 * mebibytes)]
  ])("of %s arrives whole, and tells how far it is", ([name, content]) =>
    Effect.gen(function* () {
      const { url } = yield* TestGateway
      const { registry } = yield* FlowGateway(url)
      const path = `uploads/${name.replaceAll(" ", "-")}`
      const sent: Array<number> = []
      yield* registry
        .create({ params, payload: form({ path, file: [content(), 'a "b".bin'] }) })
        .pipe(withProgress((bytes) => sent.push(bytes)))
      expect((yield* registry.metadata({ params: { ...params, path }, query: {} })).size).toBe(3 * mebibytes)
      expect(sent).toEqual(sent.toSorted((one, other) => one - other))
      // The rest is the head of each part.
      expect(sent.at(-1)! - 3 * mebibytes).toBeGreaterThan(200)
      expect(sent.at(-1)! - 3 * mebibytes).toBeLessThan(1000)
    })
  )

  it.effect("takes the memory of some chunks, however large it is", () =>
    Effect.promise(async () => {
      const bytes = 64 * mebibytes
      let received = 0
      const server = createServer((request, response) => {
        request.on("data", (data: Uint8Array) => {
          received += data.length
        })
        request.on("end", () => response.end())
      })
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
      try {
        const { port } = server.address() as { readonly port: number }
        const made = async function* () {
          for (let n = 0; n < bytes; n += mebibytes) yield new Uint8Array(mebibytes)
        }
        let ahead = 0
        const { registry } = connect(`http://127.0.0.1:${port}`)
        await registry.create(
          { params, payload: form({ path: "large", file: [made(), "large.bin"] }) },
          {
            onSent: (sent) => {
              ahead = Math.max(ahead, sent - received)
            }
          }
        )
        expect(received).toBeGreaterThan(bytes)
        // What the two sockets hold, and some chunks.
        expect(ahead).toBeLessThan(16 * mebibytes)
      } finally {
        server.close()
      }
    })
  )
})

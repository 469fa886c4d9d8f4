import { createHash } from "node:crypto"
import { request } from "node:http"
import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { ended, flowlineForm, gateway, TestGateway } from "../support/gateway.ts"

const lines = 20_000
const cuts = 40

/** As many different records, in turn. */
const records = Array.from({ length: 997 }, (_, n) => ({ n }))

const flowline = JSON.stringify({
  runtime: "stream",
  dag: [
    {
      type: "generator_input",
      settings: { messages: records, count: lines, rate: 10_000_000 },
      publish: [{ stream: "s" }]
    },
    { type: "show", settings: { limit: lines }, subscribe: [{ component: "generator_input", stream: "s" }] }
  ]
})

/** The error of a connection that was cut here. */
const wasCut = (error: Error): boolean => "code" in error && error.code === "ECONNRESET"

/** The state of a follower: the sequence number of the last complete line, and the hash of all texts. */
class Follower {
  readonly hash = createHash("sha256")
  last = 0
  hasEnded = false
  #rest = ""

  take(chunk: string): void {
    const text = this.#rest + chunk
    const end = text.lastIndexOf("\n\n") + 2
    // Without an end of an event, -1 + 2.
    this.#rest = end === 1 ? text : text.slice(end)
    for (const event of end === 1 ? [] : text.slice(0, end).split("\n\n")) {
      if (event.startsWith("event: end")) this.hasEnded = true
      const line = /^id: (\d+)\ndata: (.*)$/.exec(event)
      if (line === null) continue
      // So many expectations would take longer than the lines.
      if (Number(line[1]) !== this.last + 1) throw new Error(`line ${line[1]} after line ${this.last}`)
      this.last++
      this.hash.update(`${JSON.parse(line[2]!).text}\n`)
    }
  }

  /** Follows until the end, or until so many bytes have arrived: then the connection is cut, wherever it is. */
  follow(url: string, bytes: number): Promise<void> {
    this.#rest = ""
    return new Promise((resolve, reject) => {
      const headers = { accept: "text/event-stream", "last-event-id": String(this.last) }
      const asked = request(url, { headers }, (answer) => {
        let left = bytes
        answer.setEncoding("latin1")
        answer.on("data", (chunk: string) => {
          this.take(chunk.slice(0, left))
          left -= chunk.length
          if (left <= 0) asked.destroy()
        })
        answer.on("close", resolve)
      })
      asked.on("error", (error) => (wasCut(error) ? resolve() : reject(error)))
      asked.end()
    })
  }
}

layer(gateway({ outputLines: 2 * lines }), { excludeTestServices: true })("an output of many lines", (it) => {
  it.effect("arrives whole, in order and once, however often the connection is cut", () =>
    Effect.gen(function* () {
      const { client, url } = yield* TestGateway
      const tenant = "mytenant"
      const { id } = yield* client.flowlines.executeOnce({
        params: { tenant },
        payload: flowlineForm(flowline, "f.json")
      })
      const path = `${url}/v1/${tenant}/flowline/executions/${id}/output`
      const follower = new Follower()
      yield* Effect.promise(async () => {
        // Cuts are spread over all of it: about a hundred bytes for each line.
        for (let cut = 0; !follower.hasEnded; cut++) {
          await follower.follow(
            path,
            cut < cuts ? 1 + ((cut * 7919) % ((200 * lines) / cuts)) : Number.POSITIVE_INFINITY
          )
        }
      })
      expect(follower.last).toBe(lines)
      const expected = createHash("sha256")
      for (let n = 0; n < lines; n++) expected.update(`${JSON.stringify(records[n % records.length])}\n`)
      expect(follower.hash.digest("hex")).toBe(expected.digest("hex"))
      yield* ended(tenant, id.slice(0, id.lastIndexOf("-")), id)
    })
  )
})

import { Effect, Stream } from "effect"
import { HttpServerResponse } from "effect/http"
import type { Format } from "../http/Lines.ts"
import { primed } from "../http/Primed.ts"
import type { Executions } from "./Executions.ts"

/** The output up to now as one document. */
export const document = Effect.fn("Output.document")(function* (
  executions: Executions["Service"],
  format: Exclude<Format, "events">,
  tenant: string,
  id: string,
  after: number
) {
  const { state, truncated, lines } = yield* executions.output(tenant, id)
  const all = yield* primed(lines(after))
  if (format !== "json") {
    const each = Stream.mapArray(all, (chunk) => [
      chunk.map((line) => `${format === "text" ? line.text : line.json}\n`).join("")
    ])
    const contentType = format === "text" ? "text/plain; charset=utf-8" : "application/x-ndjson"
    return HttpServerResponse.stream(Stream.encodeText(each), { contentType })
  }
  let separator = ""
  const each = Stream.mapArray(all, (chunk) => {
    const text = separator + chunk.map((line) => line.json).join(",")
    separator = ","
    return [text]
  })
  const head = JSON.stringify({ id, state, truncated }).slice(0, -1)
  const body = Stream.make(`${head},"lines":[`).pipe(Stream.concat(each), Stream.concat(Stream.make("]}")))
  return HttpServerResponse.stream(Stream.encodeText(body), { contentType: "application/json" })
})

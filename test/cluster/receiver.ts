import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { Effect } from "effect"

export interface Received {
  readonly path: string
  /** The run that sent it. */
  readonly run: string
  /** Milliseconds. */
  readonly at: number
  readonly text: string
}

/** Records of a run that arrived after those of the next one. */
export const overlaps = (records: ReadonlyArray<Received>): ReadonlyArray<Received> => {
  const over = new Set<string>()
  let current: string | undefined
  return records.filter(({ run }) => {
    if (run !== current) {
      if (current !== undefined) over.add(current)
      current = run
    }
    return over.has(run)
  })
}

/** Records that `http_output` sent. */
export const receiver = Effect.acquireRelease(
  Effect.promise(async () => {
    const records: Array<Received> = []
    const server = createServer((request, response) => {
      const run = String(request.headers["flow-run"])
      let body = ""
      request.on("data", (chunk: Buffer) => (body += chunk.toString()))
      request.on("end", () => {
        for (const text of body.trim().split("\n"))
          records.push({ path: request.url ?? "", run, at: performance.now(), text })
        response.end()
      })
    })
    server.keepAliveTimeout = 60_000
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done))
    return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, records, server }
  }),
  ({ server }) =>
    Effect.promise(() => {
      server.closeAllConnections()
      return new Promise((done) => server.close(done))
    })
)

import { createServer, request as forward } from "node:http"
import { Effect } from "effect"

/** A proxy that removes a prefix from paths, as nginx does. */
export const proxy = (to: number) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const server = createServer((request, response) => {
        if (!request.url?.startsWith("/tools/flow/")) {
          response.writeHead(404).end()
          return
        }
        const path = request.url.slice("/tools/flow".length)
        const options = { host: "127.0.0.1", port: to, method: request.method, path, headers: request.headers }
        request.pipe(
          forward(options, (answer) => {
            response.writeHead(answer.statusCode ?? 502, answer.headers)
            answer.pipe(response)
          }).on("error", () => response.writeHead(502).end())
        )
      })
      await new Promise<void>((done) => server.listen(0, "127.0.0.1", done))
      const { port } = server.address() as { readonly port: number }
      return { server, url: `http://127.0.0.1:${port}/tools/flow` }
    }),
    ({ server }) =>
      Effect.sync(() => {
        server.closeAllConnections()
        server.close()
      })
  )

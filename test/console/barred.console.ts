import { createServer, request as forward } from "node:http"
import type { AddressInfo } from "node:net"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { Console, fill, open, rate, violations } from "./support.ts"

const lines = /^Log lines/
const patterns = /^Grok patterns/
const banner = "Something in front of the gateway answers instead of it"

/** What a proxy answers while it wants a login: its page, a refusal, or the way to the login of another site. */
const demands = {
  "with its page": () => [200, { "content-type": "text/html" }],
  "with 401": () => [401, { "content-type": "text/html" }],
  "by leading to another site": (port: number) => [302, { location: `http://localhost:${port}/login` }]
} satisfies Record<string, (port: number) => readonly [number, Record<string, string>]>

/** A proxy that wants a login when it is told to. */
const guarded = (to: number) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      let demand: (typeof demands)[keyof typeof demands] | undefined
      const server = createServer((request, response) => {
        if (demand !== undefined) {
          const [status, headers] = demand(to)
          response.writeHead(status, headers).end("<h1>Log in</h1>")
          return
        }
        const options = { host: "127.0.0.1", port: to, method: request.method, path: request.url }
        request.pipe(
          forward({ ...options, headers: request.headers }, (answer) => {
            response.writeHead(answer.statusCode ?? 502, answer.headers)
            answer.pipe(response)
          }).on("error", () => response.writeHead(502).end())
        )
      })
      await new Promise<void>((done) => server.listen(0, "127.0.0.1", done))
      const set = (next: typeof demand) => {
        demand = next
      }
      return { server, set, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
    }),
    ({ server }) =>
      Effect.sync(() => {
        server.closeAllConnections()
        server.close()
      })
  )

layer(Console.layer, { excludeTestServices: true })("a page behind a proxy whose login has ended", (it) => {
  for (const [how, demand] of Object.entries(demands)) {
    it.effect(`says so, and goes on after a login in another tab: a proxy that answers ${how}`, () =>
      Effect.gen(function* () {
        const { gateway, browser } = yield* Console
        const proxy = yield* guarded(gateway.port)
        yield* Effect.promise(async () => {
          const { page } = await open(browser, `${proxy.url}/console/`)
          await fill(page, lines, "before 1")
          await fill(page, patterns, "%{WORD:w} %{INT:n}")
          await rate(page).filter({ hasText: "1 of 1" }).waitFor()
          proxy.set(demand)
          await fill(page, lines, "before 1\nmeanwhile 2")
          await page.getByText(banner).waitFor()
          assert.deepStrictEqual(await violations(page), [])
          // Not even its files can be loaded.
          await page.getByRole("link", { name: "Runs" }).click()
          await page.getByText("This page is loaded as soon as the gateway answers").waitFor()
          proxy.set(undefined)
          const [tab] = await Promise.all([
            page.waitForEvent("popup"),
            page.getByRole("link", { name: "Log in, in a new tab" }).click()
          ])
          await rate(tab).waitFor()
          await tab.close()
          await page.getByText(banner).waitFor({ state: "detached" })
          await page.getByRole("main").getByRole("heading", { level: 1 }).waitFor()
          await page.goBack()
          await rate(page).filter({ hasText: "2 of 2 lines match" }).waitFor()
          await page.context().close()
        })
      })
    )
  }
})

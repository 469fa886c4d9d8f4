import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { networkInterfaces } from "node:os"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Outbound } from "../../src/drivers/Outbound.ts"
import { RefusedAddress } from "../../src/nodes/ports/Network.ts"
import { ended, engine, flowline, follow, node, places, printed, settings, spec } from "./support.ts"

/** A server that counts its requests. It sends clients on to `to`, when it is given. */
const serving = (to?: string) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const seen: Array<string> = []
      const server = createServer((request, response) => {
        seen.push(request.url ?? "")
        response.writeHead(to === undefined ? 200 : 307, to === undefined ? {} : { location: to }).end()
      })
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
      return { server, seen, port: (server.address() as AddressInfo).port }
    }),
    ({ server }) =>
      Effect.sync(() => {
        server.close()
        server.closeAllConnections()
      })
  )

const sending = (url: string) =>
  spec(
    flowline([
      { ...node("generator_input", { messages: [{ n: 1 }], count: 1 }), component: "in" },
      { ...node("http_output", { url }, "in"), component: "out", publish: [{ stream: "errors" }] },
      { ...node("show"), component: "refused", subscribe: [{ component: "out", stream: "errors" }] }
    ])
  )

/** The firewall's decision on a connection to the URL, with the present resolution of the name, as for a client. */
const said = (allowed: ReadonlyArray<string>, url: string): Promise<string> =>
  new Promise((resolve) => {
    try {
      const { host, lookup } = new Outbound(allowed).connection(new URL(url))
      if (!/[a-z]/.test(host) || host.includes(":")) return resolve("")
      lookup(host, {}, (error) => resolve(error instanceof RefusedAddress ? error.message : ""))
    } catch (error) {
      resolve(error instanceof RefusedAddress ? error.message : String(error))
    }
  })

describe("a run's connections", () => {
  it.live("reach no server of this machine unless the operator allows it", () =>
    Effect.gen(function* () {
      const { root } = yield* places
      const { port, seen } = yield* serving()
      const end = (url: string, outbound: ReadonlyArray<string>) =>
        Effect.map(follow(sending(url)).pipe(Effect.provide(engine(settings(root, { outbound })))), ended)
      const refused = yield* end(`http://localhost:${port}/v1/other/flowlines`, ["localhost:1", "127.0.0.0/8"])
      assert.strictEqual(refused.component, "out")
      assert.match(
        refused.error ?? "",
        /A run may not connect to (127\.0\.0\.1|::1) \(localhost\), port \d+, as it is an address of the gateway's machine: FLOW_OUTBOUND_ALLOW can allow it$/
      )
      assert.deepStrictEqual(seen, [])
      const allowed = yield* end(`http://localhost:${port}/v1/mine`, [`localhost:${port}`])
      assert.deepStrictEqual([allowed.outcome, seen], ["succeeded", ["/v1/mine"]])
    })
  )

  it.live("are not led on by a redirection", () =>
    Effect.gen(function* () {
      const { root } = yield* places
      const inside = yield* serving()
      const outside = yield* serving(`http://127.0.0.1:${inside.port}/v1/other/flowlines`)
      const url = `http://127.0.0.1:${outside.port}/`
      const messages = yield* follow(sending(url)).pipe(
        Effect.provide(engine(settings(root, { outbound: [`127.0.0.1:${outside.port}`] })))
      )
      assert.strictEqual(ended(messages).outcome, "succeeded")
      assert.include(printed(messages).join(), "the server refused it with status 307")
      assert.deepStrictEqual([outside.seen, inside.seen], [["/"], []])
    })
  )
})

describe("the wall", () => {
  it("refuses every address that is not public, however it is written", async () => {
    const addresses = [
      "127.0.0.1 127.9.9.9 0.0.0.0 10.1.2.3 172.16.0.1 172.31.255.255 192.168.1.1 169.254.169.254 100.64.0.1 224.0.0.1",
      "255.255.255.255 2130706433 017700000001 0x7f000001 0177.0.0.1 127.1 0 [::1] [::] [::ffff:127.0.0.1]",
      "[::ffff:a00:1] [::127.0.0.1] [64:ff9b::127.0.0.1] [64:ff9b::a9fe:a9fe] [64:ff9b:1::808:808] [2002:7f00:1::]",
      "[2002:c0a8:101::1] [fe80::1] [fec0::1] [fc00::1] [fd12::1] [ff02::1] [2001::1] [100::1] localhost LOCALHOST."
    ]
    for (const host of addresses.join(" ").split(" ")) {
      assert.match(await said([], `http://${host}:8080/`), /^A run may not connect to /, host)
    }
  })

  it("refuses the addresses of this machine, also public ones and in a range", async () => {
    for (const { address } of Object.values(networkInterfaces()).flatMap((list) => list ?? [])) {
      const host = address.includes(":") ? `[${address}]` : address
      const ranges = ["0.0.0.0/0", "::/0"]
      assert.match(await said(ranges, `http://${host}/`), /it is an address of the gateway's machine/, address)
      assert.strictEqual(await said([address], `http://${host}/`), "", address)
    }
  })

  it("lets public addresses pass, and what the operator allows", async () => {
    const cases: ReadonlyArray<readonly [allowed: string, url: string, isAllowed: boolean]> = [
      ["", "http://8.8.8.8/", true],
      ["", "https://[2600::1]/", true],
      ["", "https://[64:ff9b::8.8.8.8]/", true],
      ["", "https://[::ffff:8.8.8.8]/", true],
      ["10.0.0.0/8", "http://10.1.2.3/", true],
      ["10.0.0.0/8", "http://[::ffff:10.1.2.3]/", true],
      ["10.0.0.0/8", "http://172.16.0.1/", false],
      ["10.0.0.1:80", "http://10.0.0.1/", true],
      ["10.0.0.1:80", "https://10.0.0.1/", false],
      ["10.0.0.1", "https://10.0.0.1:1/", true],
      ["[fd77::1]:80", "http://[fd77::1]/", true],
      ["[fd77::1]:80", "http://[fd77::2]/", false],
      ["fd00::/8", "http://[fd77::2]/", true],
      ["127.0.0.1:80", "http://localhost:81/", false],
      ["LocalHost", "http://localhost:81/", true],
      ["other.localhost", "http://localhost:81/", false]
    ]
    for (const [allowed, url, isAllowed] of cases) {
      const reason = await said(allowed === "" ? [] : [allowed], url)
      assert.strictEqual(reason === "", isAllowed, `${allowed} ${url} ${reason}`)
    }
  })
})

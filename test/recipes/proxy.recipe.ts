import { spawn } from "node:child_process"
import { mkdirSync, writeFileSync } from "node:fs"
import { connect as open } from "node:net"
import { join } from "node:path"
import { connect } from "node:tls"
import { expect, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { configuration } from "../support/conf.ts"
import { eventually, patience } from "../support/process.ts"
import { type Running, site } from "../support/process-gateway.ts"
import { ambiguous, bodies, oddParts, seeded } from "../support/smuggling.ts"
import { parseAnswer, type RawAnswer, rawGet } from "../support/socket.ts"
import { blocks, folderOf, shell } from "./support.ts"

/**
 * The documented nginx in front of a gateway, with two changes: nobody may see `othertenant`, and all clients share one
 * connection to the gateway, so that any leftover on it would reach another client.
 */
class Proxied extends Context.Service<Proxied, { readonly gateway: Running }>()("test/recipes/Proxied") {
  static readonly layer = Layer.effect(
    Proxied,
    Effect.gen(function* () {
      const { root, folderOf: conf } = yield* configuration
      for (const tenant of ["mytenant", "othertenant"]) writeFileSync(join(conf(tenant), "whose.txt"), `of ${tenant}`)
      const variables = { FLOW_CONF: root, FLOW_HOSTS: "flow.example.com", FLOW_TRUSTED_PROXIES: "127.0.0.1" }
      const here = yield* site({ variables })
      const gateway = yield* Effect.promise(() => here.start())
      const folder = folderOf("proxy")
      const [documented = ""] = blocks("docs/reverse-proxy.md", "## nginx", "nginx")
      const [certificate = ""] = blocks("docs/cluster.md", "## Compose", "sh")
      yield* Effect.promise(() => shell(folder, certificate))
      mkdirSync(join(folder, "logs"))
      const changed = documented
        .replaceAll("/etc/nginx/flow", join(folder, "proxy"))
        .replace(
          "http {",
          `http {\n  access_log off;\n  upstream gateway { server 127.0.0.1:${gateway.port}; keepalive 1; }`
        )
        .replace("http://127.0.0.1:4242", "http://gateway")
        .replace("location / {", "location /v1/othertenant/ { deny all; }\n    location / {")
      writeFileSync(join(folder, "nginx.conf"), `daemon off;\npid ${folder}/pid;\nworker_processes 1;\n${changed}`)
      const args = ["-p", folder, "-c", join(folder, "nginx.conf"), "-e", join(folder, "logs/error.log")]
      const nginx = yield* Effect.acquireRelease(
        Effect.sync(() => spawn("nginx", args, { stdio: ["ignore", "ignore", "pipe"] })),
        // Its workers go with it only when it can tell them to, and they hold the port.
        (child) =>
          Effect.promise(async () => {
            if (child.exitCode !== null) return
            const over = new Promise((done) => child.once("exit", done))
            child.kill("SIGTERM")
            await over
          })
      )
      let said = ""
      nginx.stderr.on("data", (chunk: Buffer) => (said += chunk.toString()))
      yield* Effect.promise(() =>
        eventually("nginx answers", async () => {
          if (nginx.exitCode !== null) throw new Error(said)
          return (await get("/v1/platform/tenant").catch(() => undefined))?.status === 200
        })
      )
      return { gateway }
    })
  )
}

const credentials = `Authorization: Basic ${Buffer.from("operator:change-me").toString("base64")}\r\n`

/**
 * Sends bytes to nginx from an address of this machine, and reads until nginx closes the connection, or until it has
 * answered and `enough` holds.
 */
const exchange = (
  bytes: string,
  enough: (received: Buffer) => boolean,
  localAddress = "127.0.0.5"
): Promise<RawAnswer> =>
  new Promise((done, fail) => {
    const chunks: Array<Buffer> = []
    const socket = connect({
      socket: open({ host: "127.0.0.1", port: 443, localAddress }),
      rejectUnauthorized: false
    })
    const timer = setTimeout(() => {
      socket.destroy()
      fail(new Error(`not answered: ${bytes.slice(0, 200)}`))
    }, patience)
    const end = () => {
      clearTimeout(timer)
      socket.destroy()
      done(parseAnswer(Buffer.concat(chunks)))
    }
    socket.on("data", (chunk: Buffer) => {
      chunks.push(chunk)
      if (enough(Buffer.concat(chunks))) end()
    })
    socket.once("error", end)
    socket.once("close", end)
    socket.write(Buffer.from(bytes, "latin1"))
  })

const get = (path: string, fields = "") =>
  exchange(
    `GET ${path} HTTP/1.1\r\nHost: flow.example.com\r\n${credentials}${fields}Connection: close\r\n\r\n`,
    () => false
  )

const secret = "/v1/othertenant/conf/whose.txt"
const hidden = `GET ${secret} HTTP/1.1\r\nHost: flow.example.com\r\nX-Hidden: yes\r\n\r\n`

/** What the gateway has logged, by path. */
const pathsOf = ({
  stderr
}: Running): ReadonlyArray<{ readonly path?: string; readonly remote?: string; readonly status: number }> =>
  stderr()
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line))

const expectOwnAnswers = async () => {
  for (let n = 0; n < 2; n++) {
    const { status, body } = await get("/v1/mytenant/conf/whose.txt")
    expect([status, body.toString()]).toEqual([200, "of mytenant"])
  }
}

layer(Proxied.layer, { excludeTestServices: true })("behind the nginx of the documents", (it) => {
  it.effect("no request is hidden in another one, and none gets the answer of another one", () =>
    Effect.gen(function* () {
      const { gateway } = yield* Proxied
      yield* Effect.promise(async () => {
        await expectOwnAnswers()
        for (const [what, fields] of ambiguous) {
          for (const body of bodies) {
            const head = `POST /v1/mytenant/search HTTP/1.1\r\nHost: flow.example.com\r\n${credentials}Content-Type: application/json\r\n`
            // nginx answers 403 to what it considers a second request; the answer to the first one is enough.
            const answer = await exchange(`${head}${fields}\r\n\r\n${body}${hidden}`, (received) =>
              received.includes("\r\n\r\n")
            )
            expect([what, [400, 408, 415, 422, 501, 0].includes(answer.status)]).toEqual([what, true])
            expect([what, answer.bytes.includes("of othertenant")]).toEqual([what, false])
            await expectOwnAnswers()
          }
        }
        const found = () => pathsOf(gateway).filter(({ path }) => path?.includes("othertenant"))
        expect(found()).toEqual([])
        // The log does tell of such a request.
        await rawGet(gateway.port, secret.replace("whose", "direct"))
        await eventually("it is logged", () => found().length === 1)
      })
    })
  )

  it.effect("chunks, pipelines, HTTP/1.0 and expectations leave nothing behind", () =>
    Effect.gen(function* () {
      const { gateway } = yield* Proxied
      const post = `POST /v1/mytenant/search HTTP/1.1\r\nHost: flow.example.com\r\n${credentials}Content-Type: application/json\r\n`
      const odd = [
        `${post}Transfer-Encoding: chunked\r\n\r\n2;a="b;c"\r\n{}\r\n0\r\nX-Trailer: a\r\n\r\n${hidden}`,
        `${post}Transfer-Encoding: chunked\r\n\r\n2;\n\r\n{}\r\n0\r\n\r\n${hidden}`,
        `${post}Transfer-Encoding: chunked\r\n\r\n2\n{}\n0\n\n${hidden}`,
        `${post}Content-Length: 2\r\nExpect: 100-continue\r\n\r\n{}${hidden}`,
        `${post}Content-Length: 2\r\nExpect: 100-continue\r\nExpect: x\r\n\r\n{}${hidden}`,
        `${post}Content-Length: 2\r\nExpect: nothing\r\n\r\n{}${hidden}`,
        `${post.replace("1.1", "1.0")}Connection: keep-alive\r\nContent-Length: 2\r\n\r\n{}${hidden}`,
        `${post}Connection: Content-Length\r\nContent-Length: 2\r\n\r\n{}${hidden}`,
        `${post}Connection: Transfer-Encoding\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${hidden}`,
        `${post}Upgrade: h2c\r\nConnection: Upgrade, HTTP2-Settings\r\nHTTP2-Settings: AA\r\nContent-Length: 2\r\n\r\n{}${hidden}`,
        `GET /v1/mytenant/conf/whose.txt HTTP/1.1\r\nHost: flow.example.com\r\n${credentials}Content-Length: ${hidden.length}\r\n\r\n${hidden}`,
        `HEAD /v1/mytenant/conf/whose.txt HTTP/1.1\r\nHost: flow.example.com\r\n${credentials}\r\n${hidden}`
      ]
      yield* Effect.promise(async () => {
        for (const bytes of odd) {
          const answer = await exchange(bytes, (received) => received.includes("\r\n\r\n"))
          expect([bytes.slice(0, 300), answer.bytes.includes("of othertenant")]).toEqual([bytes.slice(0, 300), false])
          await expectOwnAnswers()
        }
        expect(pathsOf(gateway).filter(({ path }) => path === secret)).toEqual([])
      })
    })
  )

  it.effect("no spelling of a path reaches what nginx denies", () =>
    Effect.gen(function* () {
      const next = seeded(16)
      const targets = [
        ...["", "/", "//", "/./", "/x/../", "/%2e/", "/x/%2e%2e/", "/;/", "/x;/../"].map(
          (before) => `${before}/v1/othertenant/conf/whose.txt`
        ),
        ...[
          "/v1/Othertenant",
          "/v1/othertenant%2f",
          "/v1/%6fthertenant",
          "/v1//othertenant",
          "/v1/othertenant;",
          "/v1/othertenant%00"
        ].map((tenant) => `${tenant}/conf/whose.txt`),
        "/metrics;a",
        "/metrics%2f",
        "/METRICS",
        "/metrics?",
        "/v1/..%2fmetrics",
        "//metrics",
        "/metrics%20",
        "/metrics%23",
        "/metrics#a",
        "http://flow.example.com/v1/othertenant/conf/whose.txt",
        "http://flow.example.com/metrics",
        "http://evil.example/metrics",
        ...Array.from({ length: 300 }, () => {
          const middle = Array.from({ length: 1 + next(4) }, () => oddParts[next(oddParts.length)]).join("/")
          return `/v1/mytenant/${middle}/othertenant/conf/whose.txt`
        })
      ]
      yield* Effect.promise(async () => {
        for (const target of targets) {
          const { bytes } = await get(target)
          expect([target, /of othertenant|flow_build_info/.test(bytes.toString("latin1"))]).toEqual([target, false])
        }
        await expectOwnAnswers()
      })
    })
  )

  it.effect("clients cannot say who they are, for whom they ask, nor over what", () =>
    Effect.gen(function* () {
      const { gateway } = yield* Proxied
      yield* Effect.promise(async () => {
        const forged = [
          "X-Forwarded-For: 192.0.2.1\r\n",
          "X-Forwarded-For: 192.0.2.1\r\nX-Forwarded-For: 192.0.2.2\r\n",
          "Forwarded: for=192.0.2.1\r\n",
          "X_Forwarded_For: 192.0.2.1\r\n",
          "Connection: close, X-Forwarded-For, X-Real-IP, Authorization, Host\r\n",
          "X-Forwarded-Host: evil.example\r\nX-Forwarded-Proto: gopher\r\n"
        ]
        for (const [at, fields] of forged.entries()) {
          const path = `/v1/mytenant/forged-${at}`
          expect([fields, (await get(path, fields)).status]).toEqual([fields, 404])
          const line = () => pathsOf(gateway).find((one) => one.path === path)
          await eventually("it is logged", () => line() !== undefined)
          expect([fields, line()?.remote]).toEqual([fields, "127.0.0.5"])
        }
        // nginx names each request, and the gateway takes the name.
        const [one, other] = [
          await get("/v1/platform/tenant", "X-Request-Id: mine\r\n"),
          await get("/v1/platform/tenant")
        ]
        for (const { headers } of [one, other]) expect(headers.get("x-request-id")).toMatch(/^[0-9a-f]{32}$/)
        expect(one.headers.get("x-request-id")).not.toBe(other.headers.get("x-request-id"))
        for (const host of ["evil.example", "flow.example.com.evil.example"]) {
          const answer = await exchange(
            `GET /v1/platform/tenant HTTP/1.1\r\nHost: ${host}\r\n${credentials}Connection: close\r\n\r\n`,
            () => false
          )
          expect([host, answer.status]).toEqual([host, 421])
        }
        const many = Array.from({ length: 300 }, (_, n) => `X-${n}: a\r\n`).join("")
        expect([200, 400, 431].includes((await get("/v1/platform/tenant", many)).status)).toBe(true)
        await expectOwnAnswers()
      })
    })
  )
})

import { execFile } from "node:child_process"
import { copyFileSync, renameSync, writeFileSync } from "node:fs"
import { Agent } from "node:https"
import { join } from "node:path"
import { promisify } from "node:util"
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { eventually } from "../support/process.ts"
import { site, temporary } from "../support/process-gateway.ts"
import { openSocket } from "../support/socket.ts"
import { first, second, secureGet, secureSocket, servedFingerprint } from "../support/tls.ts"
import { refusalOf } from "./settings.ts"

const run = promisify(execFile)

/** Files of a gateway, with the first pair. */
const filesOf = (folder: string) => {
  const files = { cert: join(folder, "cert.pem"), key: join(folder, "key.pem") }
  copyFileSync(first.files.cert, files.cert)
  copyFileSync(first.files.key, files.key)
  return { ...files, variables: { FLOW_TLS_CERT: files.cert, FLOW_TLS_KEY: files.key } }
}

it.live("a gateway with a certificate speaks HTTPS, and takes a new one without losing a request", () =>
  Effect.gen(function* () {
    const folder = yield* temporary
    const { cert, key, variables } = filesOf(folder)
    const here = yield* site({ variables })
    yield* Effect.promise(async () => {
      const gateway = await here.start()
      const { port, url, stderr } = gateway
      expect(url).toBe(`https://127.0.0.1:${port}`)
      const { stdout } = await run("curl", [
        "-sS",
        "-i",
        "--cacert",
        cert,
        `https://localhost:${port}/v1/platform/tenant`
      ])
      expect(stdout).toMatch(
        /^HTTP\/1\.1 200 OK\r\n[\s\S]*strict-transport-security: max-age=31536000\r\n[\s\S]*"mytenant"/i
      )

      const plain = await openSocket(port)
      plain.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
      await plain.closed
      expect(plain.received().toString("latin1")).not.toContain("HTTP/1.1 200")

      // Requests on kept and on new connections go on while the files change.
      const agent = new Agent({ keepAlive: true, maxSockets: 2 })
      let isOver = false
      const failed: Array<unknown> = []
      let answered = 0
      const asking = [agent, undefined].map(async (one) => {
        while (!isOver) {
          await secureGet(port, "/v1/platform/tenant", one === undefined ? {} : { agent: one }).then(
            ({ status }) => {
              answered += 1
              if (status !== 200) failed.push(status)
            },
            (error) => failed.push(error)
          )
        }
      })
      const old = await secureSocket(port)
      const before = await servedFingerprint(port)

      writeFileSync(cert, second.cert.slice(0, 400))
      const ready = () => secureGet(port, "/health/ready").then(({ text }) => JSON.parse(text))
      await eventually("readiness tells it", async () => (await ready()).defects?.tlsCertificate === 1)
      expect((await ready()).status).toBe("ready")
      const metrics = (await secureGet(port, "/metrics")).text
      expect(metrics).toMatch(/^flow_tls_certificate_faulty 1$/m)
      expect(metrics).toMatch(/^flow_tls_certificate_expires_seconds 4\d{9}$/m)
      expect(stderr()).toContain(`stays in use. FLOW_TLS_CERT: ${cert} ends within a certificate`)
      expect(await servedFingerprint(port)).toBe(before)

      for (const [from, to] of [
        [second.files.cert, cert],
        [second.files.key, key]
      ] as const) {
        copyFileSync(from, `${to}.new`)
        renameSync(`${to}.new`, to)
      }
      await eventually("the new one is served", async () => (await servedFingerprint(port)) !== before)
      await eventually("nothing is faulty", async () => (await ready()).defects === undefined)
      let text = ""
      old.on("data", (chunk: Buffer) => (text += chunk.toString()))
      old.write("GET /health/live HTTP/1.1\r\nHost: a\r\n\r\n")
      await eventually("the old connection is answered", () => text.includes('"live"'))
      old.destroy()
      isOver = true
      await Promise.all(asking)
      agent.destroy()
      expect([failed, answered > 10]).toEqual([[], true])
      expect(stderr()).not.toMatch(/PRIVATE KEY|BEGIN/)
      expect(await gateway.kill("SIGTERM")).toEqual({ code: 0, signal: null })
    })
  }).pipe(Effect.scoped)
)

it.live("settings of TLS and proxies that cannot be used are refused in one line that names them", () =>
  Effect.gen(function* () {
    const folder = yield* temporary
    const base = { FLOW_DATA: join(folder, "data") }
    const { cert, key, variables } = filesOf(folder)
    writeFileSync(join(folder, "garbage"), "secret-word")
    const cases: ReadonlyArray<readonly [Record<string, string>, RegExp | ""]> = [
      [variables, ""],
      [{ FLOW_TLS_CERT: cert }, /^FLOW_TLS_KEY: TLS needs FLOW_TLS_CERT and FLOW_TLS_KEY, both files in PEM$/],
      [{ FLOW_TLS_KEY: key }, /^FLOW_TLS_CERT: TLS needs /],
      [{ ...variables, FLOW_TLS_CERT: join(folder, "none") }, /^FLOW_TLS_CERT: \S+\/none does not exist$/],
      [{ ...variables, FLOW_TLS_KEY: folder }, /^FLOW_TLS_KEY: \S+ is no file$/],
      [{ ...variables, FLOW_TLS_KEY: join(folder, "garbage") }, /^FLOW_TLS_KEY: \S+ holds no private key in PEM$/],
      [{ ...variables, FLOW_TLS_KEY: second.files.key }, /^FLOW_TLS_KEY: .+ is not the key of the certificate in .+/],
      [{ FLOW_TRUSTED_PROXIES: "loopback, 10.0.0.0/8,fd00::7" }, ""],
      [{ FLOW_TRUSTED_PROXIES: "10.0.0.1,nginx" }, /^FLOW_TRUSTED_PROXIES: "nginx" is no address or range; expected/],
      [{ FLOW_TRUSTED_PROXIES: "0.0.0.0/0" }, /^FLOW_TRUSTED_PROXIES: "0\.0\.0\.0\/0" would trust everybody/],
      ...["0", "-1", "many"].map(
        (value) => [{ FLOW_ADDRESS_CONNECTIONS: value }, /^FLOW_ADDRESS_CONNECTIONS: /] as const
      )
    ]
    for (const [given, said] of cases) {
      const reason = yield* Effect.promise(() => refusalOf({ ...base, ...given }))
      expect([given, reason]).toEqual([given, said === "" ? "" : expect.stringMatching(said)])
      expect(reason).not.toMatch(/secret-word|BEGIN|\n/)
    }
  }).pipe(Effect.scoped)
)

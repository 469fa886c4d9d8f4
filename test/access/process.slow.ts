import { spawn } from "node:child_process"
import { chmodSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { program } from "../../src/drivers/Programs.ts"
import { eventually } from "../support/process.ts"
import { commandOf, site } from "../support/process-gateway.ts"
import { accessFile, hashOf, replaceFile } from "./accessFiles.ts"
import { basic } from "./support.ts"

const path = "/v1/mytenant/conf"

/** Runs `flow-gateway <arguments>` with this standard input. */
const command = (args: ReadonlyArray<string>, input: string | Uint8Array, end = true) =>
  Effect.promise(
    () =>
      new Promise<{ code: number | null; stdout: string; stderr: string }>((done) => {
        const child = spawn(process.execPath, [fileURLToPath(program("command")), ...args])
        let [stdout, stderr] = ["", ""]
        child.stdout.on("data", (chunk: Buffer) => (stdout += chunk))
        child.stderr.on("data", (chunk: Buffer) => (stderr += chunk))
        child.stdin.on("error", () => {})
        child.on("close", (code) => done({ code, stdout, stderr }))
        child.stdin.write(input)
        if (end) child.stdin.end()
      })
  )

/** What an OTLP receiver is sent. */
const receiver = Effect.acquireRelease(
  Effect.callback<{ url: string; text: () => string; close: () => void }>((resume) => {
    let text = ""
    const server = createServer((request, response) => {
      request.on("data", (chunk: Buffer) => (text += chunk))
      request.on("end", () => response.writeHead(200, { "content-type": "application/json" }).end("{}"))
    }).listen(0, "127.0.0.1", () => {
      const address = server.address()
      const port = typeof address === "object" && address !== null ? address.port : 0
      const close = () => {
        server.closeAllConnections()
        server.close()
      }
      resume(Effect.succeed({ url: `http://127.0.0.1:${port}`, text: () => text, close }))
    })
  }),
  ({ close }) => Effect.sync(close)
)

describe("a gateway with an access file", () => {
  it.live("lets in who was given a hash by its own command, and tells no secret to anybody", () =>
    Effect.gen(function* () {
      const password = "tr0ub4dor & 3"
      const made = yield* command(["hash-password"], `${password}\nmore`)
      expect(made).toMatchObject({ code: 0, stderr: "" })
      const stored = made.stdout.trimEnd()
      expect(stored).toMatch(/^\$argon2id\$v=19\$m=65536,t=3,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/)
      const sink = yield* receiver
      const here = yield* site()
      const auth = join(here.data, "..", `${here.data.split("/").at(-1)}.yaml`)
      const text = accessFile({ alice: { stored, roles: { "*": "viewer" } } })
      writeFileSync(auth, text)
      chmodSync(auth, 0o646)
      yield* Effect.promise(async () => {
        const gateway = await here.start({ FLOW_AUTH: auth, FLOW_OTLP: sink.url })
        const ask = (target: string, authorization: string) =>
          fetch(gateway.url + target, { headers: { authorization } }).then(async (response) => ({
            status: response.status,
            text: await response.text()
          }))
        const right = basic("alice", password)
        expect((await ask(path, right)).status).toBe(200)
        const wrong = await ask(path, basic("alice", "Wr0ng-secret"))
        const bearer = await ask(path, "Bearer fgk_Wr0ng-secret")
        const broken = text.replace('"password":"', '"password":"Wr0ng-secret')
        replaceFile(auth, broken)
        await eventually("the fault is logged", () => gateway.stderr().includes("cannot be used"))
        replaceFile(auth, text)
        await eventually("the file is used again", () => gateway.stderr().includes("can be used again"))
        const metrics = await ask("/metrics", right)
        expect([wrong.status, bearer.status, metrics.status]).toEqual([401, 401, 200])
        await eventually("spans were sent", () => sink.text().includes("Passwords.verify"))
        expect(gateway.stderr()).toMatch(/former rules stay: \S+: 1:\d+ users.alice.password: Expected a hash/)
        expect(gateway.stderr()).toContain(`chmod o-w ${auth}`)
        const everything = [
          gateway.stderr(),
          sink.text(),
          wrong.text,
          bearer.text,
          metrics.text,
          commandOf(gateway.pid)
        ]
        const secrets = [password, "Wr0ng-secret", stored.split("$").at(-1)!, right.slice(6)]
        for (const secret of secrets) expect(everything.join("\n")).not.toContain(secret)
        expect((await gateway.kill("SIGTERM")).code).toBe(0)
      })
    })
  )

  it.live("warns where everybody may do everything, and where passwords are not encrypted", () =>
    Effect.gen(function* () {
      const here = yield* site()
      const auth = `${here.data}.yaml`
      writeFileSync(auth, accessFile({ alice: { stored: hashOf("x"), roles: {} } }))
      yield* Effect.promise(async () => {
        const warningsOf = async (variables: Readonly<Record<string, string>>) => {
          const gateway = here.spawn({ FLOW_LOG: "warn", ...variables })
          await eventually("the ready line", () => gateway.stdout().includes("\n"))
          const port = /:(\d+)\n/.exec(gateway.stdout())?.[1]
          const headers = { authorization: basic("alice", "x") }
          for (let n = 0; n < 2; n++) await fetch(`http://127.0.0.1:${port}/v1/platform/tenant`, { headers })
          gateway.process.kill("SIGTERM")
          await gateway.exit
          const lines = gateway.stderr().split("\n")
          return lines
            .filter((line) => /FLOW_AUTH|unencrypted|ignored/.test(line))
            .map((line) => JSON.parse(line).message)
        }
        expect(await warningsOf({ FLOW_HOST: "0.0.0.0", FLOW_INSECURE: "1" })).toEqual([
          "Everybody who reaches 0.0.0.0 may do everything: FLOW_INSECURE is 1, FLOW_AUTH is not set",
          "Without FLOW_AUTH, the Authorization header of requests is ignored"
        ])
        expect(await warningsOf({ FLOW_HOST: "0.0.0.0", FLOW_AUTH: auth })).toEqual([
          "Passwords, keys and tokens come to 0.0.0.0 unencrypted: set FLOW_TLS_CERT or use a proxy"
        ])
        expect(await warningsOf({ FLOW_AUTH: auth })).toEqual([])
      })
    })
  )
})

describe("hash-password", () => {
  it.live("says what is wrong with its input, and reads no more of it than it needs", () =>
    Effect.gen(function* () {
      const refused = (stderr: string) => ({ code: 1, stdout: "", stderr: `flow-gateway: ${stderr}\n` })
      expect(yield* command(["hash-password"], "")).toEqual(refused("expected a password on standard input"))
      expect(yield* command(["hash-password"], "\nx")).toEqual(refused("expected a password on standard input"))
      expect(yield* command(["hash-password"], "x".repeat(1025))).toEqual(
        refused("expected a password of at most 1024 bytes")
      )
      expect(yield* command(["hash-password"], Buffer.from([0xff, 0x0a]))).toEqual(refused("expected UTF-8"))
      // A terminal stays open.
      expect(yield* command(["hash-password"], `${"x".repeat(1024)}\r\n`, false)).toMatchObject({ code: 0, stderr: "" })
    })
  )
})

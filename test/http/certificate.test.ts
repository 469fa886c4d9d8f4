import { X509Certificate } from "node:crypto"
import { mkdirSync, writeFileSync } from "node:fs"
import { Agent, Server as SecureServer } from "node:https"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Logger } from "effect"
import { loadCertificate, secureOptions, watchCertificate } from "../../src/layers/http/server/Certificate.ts"
import { temporaryFolder } from "../support/gateway.ts"
import { first, second, secureGet, servedFingerprint } from "../support/tls.ts"
import { secureServer } from "./secureServer.ts"

const fingerprint = (pem: string) => new X509Certificate(pem).fingerprint256

/** Invalid contents of certificate files, and the messages about them. */
const faults: ReadonlyArray<readonly [cert: string, key: string, said: RegExp]> = [
  ["", first.key, /^FLOW_TLS_CERT \S+cert\.pem holds no certificate in PEM$/],
  ["garbage", first.key, /^FLOW_TLS_CERT \S+cert\.pem holds no certificate/],
  [first.key, first.key, /^FLOW_TLS_CERT \S+cert\.pem holds no certificate/],
  [first.cert.replaceAll(/[A-Za-z]/g, "A"), first.key, /^FLOW_TLS_CERT \S+cert\.pem (holds no|ends within a) certif/],
  [first.cert.slice(0, 300), first.key, /^FLOW_TLS_CERT \S+cert\.pem ends within a certificate$/],
  [first.cert + second.cert.slice(0, 300), first.key, /^FLOW_TLS_CERT \S+cert\.pem ends within a certificate$/],
  [first.cert, "", /^FLOW_TLS_KEY \S+key\.pem holds no private key in PEM$/],
  [first.cert, first.cert, /^FLOW_TLS_KEY \S+key\.pem holds no private key in PEM$/],
  [first.cert, first.key.slice(0, 100), /^FLOW_TLS_KEY \S+key\.pem holds no private key in PEM$/],
  [first.cert, second.key, /^FLOW_TLS_KEY \S+key\.pem is not the key of the certificate in \S+cert\.pem/],
  [second.cert + first.cert, first.key, /^FLOW_TLS_KEY \S+key\.pem is not the key of the certificate/],
  ["x".repeat(1024 * 1024 + 1), first.key, /^FLOW_TLS_CERT \S+cert\.pem is larger than 1 MiB$/]
]

const filesIn = Effect.map(temporaryFolder, (folder) => {
  const files = { cert: join(folder, "cert.pem"), key: join(folder, "key.pem") }
  const write = (cert: string, key: string) => {
    writeFileSync(files.cert, cert)
    writeFileSync(files.key, key)
  }
  write(first.cert, first.key)
  return { folder, files, write }
})

describe("the files of a certificate", () => {
  it.effect("are refused with what is wrong and where, and nothing of their contents", () =>
    Effect.gen(function* () {
      const { folder, files, write } = yield* filesIn
      expect((yield* loadCertificate(files)).expires).toBe(new X509Certificate(first.cert).validToDate.getTime())
      for (const [cert, key, said] of faults) {
        write(cert, key)
        const fault = yield* Effect.flip(loadCertificate(files))
        expect(`${fault.variable} ${fault.message}`).toMatch(said)
        expect(fault.message).not.toMatch(/BEGIN|MI[A-Z]{2}|\n/)
      }
      const missing = { cert: join(folder, "none.pem"), key: files.key }
      expect((yield* Effect.flip(loadCertificate(missing))).message).toMatch(/none\.pem does not exist$/)
      mkdirSync(join(folder, "folder"))
      const aFolder = { cert: first.files.cert, key: join(folder, "folder") }
      expect(yield* Effect.flip(loadCertificate(aFolder))).toMatchObject({
        variable: "FLOW_TLS_KEY",
        message: expect.stringMatching(/folder is no file$/)
      })
    }).pipe(Effect.scoped)
  )

  it.live("are taken when they change; what is faulty keeps the certificate that there is, and is told", () =>
    Effect.gen(function* () {
      const { files, write } = yield* filesIn
      const { server, port } = yield* secureServer()
      server.on("request", (_, response) => response.end("ok"))
      const certificate = yield* loadCertificate(files)
      const said: Array<string> = []
      const log = Logger.make(({ message }) => void said.push(String(message)))
      let reloads = 0
      const use: Parameters<typeof watchCertificate>[2] = (pair) => {
        reloads += 1
        if (server instanceof SecureServer) server.setSecureContext(secureOptions(pair))
      }
      const { look, faulty } = yield* watchCertificate(files, certificate, use)
      const looked = Effect.provide(look, Logger.layer([log]))
      const served = Effect.promise(() => servedFingerprint(port))
      const agent = new Agent({ keepAlive: true, maxSockets: 1 })
      const asked = Effect.promise(() => secureGet(port, "/", { agent }).then(({ text }) => text))
      expect(yield* asked).toBe("ok")
      const [old] = Object.values(agent.freeSockets).flat()
      for (const [cert, key, fault] of faults) {
        write(cert, key)
        said.length = 0
        // The first look may have come in the middle of a change.
        yield* looked
        expect(said).toEqual([])
        for (let n = 0; n < 3; n++) yield* looked
        expect(said).toEqual([
          expect.stringMatching(/^The certificate that was loaded before stays in use\. FLOW_TLS_/)
        ])
        expect(said[0]?.replace(/^.*in use\. (\w+): /, "$1 ")).toMatch(fault)
        expect([faulty(), reloads, yield* served]).toEqual([1, 0, fingerprint(first.cert)])
        said.length = 0
        write(first.cert, first.key)
        yield* looked
        expect([faulty(), said]).toEqual([0, [expect.stringMatching(/are in order again$/)]])
      }
      said.length = 0
      // As programs do that renew certificates: one file, a look, the other file.
      write(second.cert, first.key)
      yield* looked
      write(second.cert, second.key)
      for (let n = 0; n < 3; n++) yield* looked
      expect(said).toEqual([expect.stringMatching(/^New connections get the certificate in .* expires at 2/)])
      expect([faulty(), reloads, yield* served]).toEqual([0, 1, fingerprint(second.cert)])
      // The connection from before lives on.
      expect(yield* asked).toBe("ok")
      expect(Object.values(agent.freeSockets).flat()).toEqual([old])
      agent.destroy()
    }).pipe(Effect.scoped)
  )

  it.live("that expire within two weeks are warned of, and not at each look", () =>
    Effect.gen(function* () {
      const day = 86_400_000
      for (const [days, warning] of [
        [15, undefined],
        [13, /cert\.pem expires at 20/],
        [-1, /cert\.pem has expired at 20/]
      ] as const) {
        const { files } = yield* filesIn
        const certificate = { ...(yield* loadCertificate(files)), expires: Date.now() + days * day }
        const said: Array<string> = []
        const log = Logger.make(({ message }) => void said.push(String(message)))
        const { look } = yield* watchCertificate(files, certificate, () => {})
        for (let n = 0; n < 3; n++) yield* Effect.provide(look, Logger.layer([log]))
        const warnings = said.filter((line) => line.startsWith("The certificate in"))
        expect(warnings).toEqual(warning === undefined ? [] : [expect.stringMatching(warning)])
      }
    }).pipe(Effect.scoped)
  )
})

import type { RequestListener } from "node:http"
import { expect, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { attemptMillis } from "../../src/layers/access/IssuerKeys.ts"
import { accepting, carol, checking } from "./checking.ts"
import { inSeconds, sign, signingKey, startIssuer } from "./issuer.ts"

const minutes = 60_000
const hours = 60 * minutes

layer(Layer.empty, { excludeTestServices: true })("tokens of an issuer", (it) => {
  it.effect("of new keys are accepted soon, and forged keys ask the issuer seldom", () =>
    Effect.gen(function* () {
      const [a, b] = yield* Effect.all([signingKey("ES256", "a"), signingKey("ES256", "b")])
      const issuer = yield* startIssuer([a])
      const { after, verify } = yield* checking(accepting(issuer))
      expect(yield* verify(yield* sign(issuer, a))).toEqual(carol(issuer))
      issuer.keys = [b]
      const rotated = yield* sign(issuer, b)
      expect(yield* verify(rotated)).toBe(undefined)
      const forged = yield* Effect.forEach(Array.from({ length: 200 }), (_, index) =>
        sign(issuer, b, {}, { kid: `${index}` })
      )
      yield* Effect.forEach(forged, verify, { concurrency: "unbounded" })
      expect(issuer.asked.keys).toBe(1)
      const first = yield* Effect.forEach([rotated, ...forged], verify, { concurrency: "unbounded" }).pipe(
        after(attemptMillis)
      )
      expect(first[0]).toEqual(carol(issuer))
      expect(first.slice(1).filter((principal) => principal !== undefined)).toEqual([])
      expect(issuer.asked.keys).toBe(2)
      // The old key is gone.
      expect(yield* verify(yield* sign(issuer, a, { jti: "new" }))).toBe(undefined)
    })
  )

  it.effect("of new keys with the name of former ones, or without any, are accepted soon", () =>
    Effect.forEach([undefined, "same"], (kid) =>
      Effect.gen(function* () {
        const [a, b] = yield* Effect.all([signingKey("ES256", kid), signingKey("ES256", kid)])
        const issuer = yield* startIssuer([a])
        const { after, verify } = yield* checking(accepting(issuer))
        const former = yield* sign(issuer, a)
        expect(yield* verify(former)).toEqual(carol(issuer))
        issuer.keys = [b]
        const rotated = yield* sign(issuer, b)
        expect(yield* verify(rotated)).toBe(undefined)
        expect(issuer.asked.keys).toBe(1)
        expect(yield* after(attemptMillis)(verify(rotated))).toEqual(carol(issuer))
        // Whoever forges makes the issuer no more requests than that.
        const c = yield* signingKey("ES256", kid)
        const forged = yield* Effect.forEach(Array.from({ length: 50 }), (_, index) =>
          sign(issuer, c, { jti: `${index}` })
        )
        const found = yield* Effect.forEach(forged, verify, { concurrency: "unbounded" }).pipe(after(2 * attemptMillis))
        expect(found.filter((principal) => principal !== undefined)).toEqual([])
        expect(issuer.asked.keys).toBe(3)
        expect(yield* after(2 * attemptMillis)(verify(rotated))).toEqual(carol(issuer))
        expect(yield* verify(yield* sign(issuer, a, { jti: "new" }))).toBe(undefined)
      })
    )
  )

  it.effect("that come at once ask the issuer once", () =>
    Effect.gen(function* () {
      const key = yield* signingKey("ES256", "a")
      const issuer = yield* startIssuer([key])
      const { verify } = yield* checking(accepting(issuer))
      const tokens = yield* Effect.forEach(Array.from({ length: 50 }), (_, index) =>
        sign(issuer, key, { jti: `${index}` })
      )
      const all = yield* Effect.forEach(tokens, verify, { concurrency: "unbounded" })
      expect(all.every((principal) => principal?.id === carol(issuer).id)).toBe(true)
      expect(issuer.asked).toEqual({ keys: 1, discovery: 1 })
    })
  )

  it.effect("are accepted for a day while their issuer is away", () =>
    Effect.gen(function* () {
      const key = yield* signingKey("ES256", "a")
      const issuer = yield* startIssuer([key])
      const { after, verify, logs } = yield* checking(accepting(issuer))
      const token = yield* sign(issuer, key, { exp: inSeconds(48 * 3600) })
      expect(yield* verify(token)).toEqual(carol(issuer))
      yield* issuer.close
      for (const age of [1 * minutes, 11 * minutes, 23 * hours]) {
        expect([age, yield* after(age)(verify(token))]).toEqual([age, carol(issuer)])
      }
      expect(yield* after(25 * hours)(verify(token))).toBe(undefined)
      expect(logs.length).toBeGreaterThan(0)
      for (const line of logs)
        expect(line).toMatch(/^The keys of the issuer http:\/\/127\.0\.0\.1:\d+ cannot be read: /)
      for (const line of logs) expect(line).not.toContain(token.slice(0, 20))
    })
  )

  it.effect("are refused until their issuer is there", () =>
    Effect.gen(function* () {
      const key = yield* signingKey("ES256", "a")
      const issuer = yield* startIssuer([key])
      const { after, verify, logs } = yield* checking(accepting(issuer))
      const token = yield* sign(issuer, key)
      issuer.instead = (request) => request.socket.destroy()
      for (let at = 0; at < 20; at++) expect(yield* verify(token)).toBe(undefined)
      expect([issuer.asked.discovery, logs.length]).toEqual([1, 1])
      issuer.instead = undefined
      expect(yield* verify(token)).toBe(undefined)
      expect(yield* after(attemptMillis)(verify(token))).toEqual(carol(issuer))
    })
  )

  it.effect("are refused when their issuer answers with anything else than its keys", () =>
    Effect.gen(function* () {
      const key = yield* signingKey("ES256", "a")
      const json =
        (body: unknown, status = 200): RequestListener =>
        (_, response) =>
          void response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body))
      const endless: RequestListener = (_, response) => {
        response.writeHead(200)
        const more = () => {
          while (!response.destroyed && response.write(" ".repeat(65_536)));
        }
        response.on("drain", more)
        more()
      }
      const answers: Readonly<Record<string, readonly [answer: RequestListener, reason: RegExp]>> = {
        garbage: [(_, response) => void response.end("<html>"), /is not JSON/],
        binary: [(_, response) => void response.end(Buffer.from([0xff, 0xfe])), /is not JSON/],
        nothing: [(_, response) => void response.end(), /is not JSON/],
        noKeys: [json({ keys: "none" }), /Expected array/],
        keysOfNoKind: [json({ keys: [1] }), /Expected object/],
        tooManyKeys: [json({ keys: Array.from({ length: 101 }, () => key.jwk) }), /100/],
        symmetric: [json({ keys: [{ kty: "oct", k: "AAAA", kid: "a", alg: "ES256" }] }), /^$/],
        failing: [json({ keys: [key.jwk] }, 500), /status 500/],
        partial: [json({ keys: [key.jwk] }, 206), /status 206/],
        redirecting: [(_, response) => void response.writeHead(302, { location: "/elsewhere" }).end(), /status 302/],
        endless: [endless, /more than 1048576 bytes/],
        silent: [() => {}, /not answered in time/],
        slow: [(_, response) => void response.writeHead(200).write("{"), /not answered in time/],
        cut: [
          (_, response) =>
            void response.writeHead(200, { "content-length": "99" }).write("{", () => response.destroy()),
          /./
        ]
      }
      yield* Effect.forEach(
        Object.entries(answers),
        Effect.fnUntraced(function* ([name, [answer, reason]]) {
          const issuer = yield* startIssuer([key])
          issuer.instead = answer
          const file = accepting(issuer, { jwksUri: `${issuer.issuer}/keys` })
          const { after, verify, logs } = yield* checking(file)
          const token = yield* sign(issuer, key)
          expect([name, yield* verify(token)]).toEqual([name, undefined])
          expect([name, logs.join()]).toEqual([name, expect.stringMatching(reason)])
          issuer.instead = undefined
          expect([name, yield* after(attemptMillis)(verify(token))]).toEqual([name, carol(issuer)])
        }),
        { concurrency: "unbounded" }
      )
    })
  )

  it.effect("need a discovery document of the same issuer", () =>
    Effect.gen(function* () {
      const key = yield* signingKey("ES256", "a")
      const issuer = yield* startIssuer([key])
      for (const [name, reason] of [
        ["https://other.example", "names the issuer"],
        [`${issuer.issuer}/`, "names the issuer"],
        [undefined, "issuer"]
      ] as const) {
        issuer.instead = (request, response) => {
          const keys = { keys: [key.jwk] }
          const found = request.url === "/keys" ? keys : { issuer: name, jwks_uri: `${issuer.issuer}/keys` }
          response.end(JSON.stringify(found))
        }
        const { verify, logs } = yield* checking(accepting(issuer))
        expect(yield* verify(yield* sign(issuer, key))).toBe(undefined)
        expect(logs.join()).toContain(reason)
      }
      expect(issuer.asked.keys).toBe(0)
    })
  )

  it.effect("ask no issuer at an address that FLOW_OUTBOUND_ALLOW does not list", () =>
    Effect.gen(function* () {
      const key = yield* signingKey("ES256", "a")
      const issuer = yield* startIssuer([key])
      const { verify, logs } = yield* checking(accepting(issuer), [])
      expect(yield* verify(yield* sign(issuer, key))).toBe(undefined)
      expect(logs.join()).toContain("The gateway may not connect to 127.0.0.1")
      // A name that leads there is no way around, and neither is a discovery document.
      const named = { issuer: issuer.issuer.replace("127.0.0.1", "localhost") }
      const other = yield* checking(accepting(named), [])
      expect(yield* other.verify(yield* sign(named, key))).toBe(undefined)
      expect(other.logs.join()).toContain("FLOW_OUTBOUND_ALLOW can allow it")
      expect(issuer.asked).toEqual({ keys: 0, discovery: 0 })
      issuer.instead = (_, response) =>
        void response.end(JSON.stringify({ issuer: issuer.issuer, jwks_uri: "http://169.254.169.254/keys" }))
      const leading = yield* checking(accepting(issuer))
      expect(yield* leading.verify(yield* sign(issuer, key))).toBe(undefined)
      expect(leading.logs.join()).toContain("may not connect to 169.254.169.254")
      issuer.instead = (_, response) =>
        void response.end(JSON.stringify({ issuer: issuer.issuer, jwks_uri: "file:///etc/passwd" }))
      const local = yield* checking(accepting(issuer))
      expect(yield* local.verify(yield* sign(issuer, key))).toBe(undefined)
      expect(local.logs.join()).toContain("is no https: address")
    })
  )
})

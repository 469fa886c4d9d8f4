import type { RequestListener } from "node:http"
import { expect, layer } from "@effect/vitest"
import { Context, Effect, Layer, Logger } from "effect"
import { base64url, exportSPKI, importJWK, SignJWT, UnsecuredJWT } from "jose"
import { attemptMillis } from "../../src/layers/access/IssuerKeys.ts"
import * as Tokens from "../../src/layers/access/Tokens.ts"
import type { AccessFile } from "../../src/services/access/AccessFile.ts"
import { TokenCheck } from "../../src/services/access/TokenCheck.ts"
import { testSettings } from "../support/gateway.ts"
import { random, seed } from "../support/random.ts"
import { inSeconds, sign, signingKey, startIssuer, type TestIssuer } from "./issuer.ts"
import { after, Rules, rules, rulesOf } from "./rules.ts"

/** The issuer, whose tokens for `flow` give everybody a role. */
const accepting = (issuer: Pick<TestIssuer, "issuer">, more: object = {}): AccessFile => ({
  issuers: [
    {
      issuer: issuer.issuer,
      audience: "flow",
      roles: [{ claim: "aud", value: "flow", tenant: "mytenant", role: "viewer" }],
      ...more
    }
  ]
})

/** Checks tokens by these rules, as a gateway that has just started. */
const checking = Effect.fnUntraced(function* (
  file: AccessFile,
  outbound: ReadonlyArray<string> = ["127.0.0.1"],
  logs: Array<string> = []
) {
  const logger = Logger.layer([Logger.make(({ message }) => void logs.push(String(message)))])
  const settings = testSettings({ databaseUrl: "postgres://unused", outbound })
  const services = Tokens.layer.pipe(Layer.provide(rules), Layer.provideMerge(Layer.merge(settings, rulesOf(file))))
  const context = yield* Layer.build(Layer.provideMerge(services, logger))
  const { verify } = Context.get(context, TokenCheck)
  const inContext = (token: string) => Effect.provideContext(verify(token), context)
  return { verify: inContext, rules: Context.get(context, Rules), logs }
})

const carol = (issuer: TestIssuer) => ({
  id: `token:${issuer.issuer}#carol`,
  method: "bearer",
  grants: new Map([["mytenant", "viewer"]])
})

const seconds = 1000
const minutes = 60 * seconds
const hours = 60 * minutes

const text = (value: unknown): string => base64url.encode(JSON.stringify(value))

layer(Layer.empty, { excludeTestServices: true })("tokens", (it) => {
  it.effect("of every accepted algorithm are verified, with and without the name of the key", () =>
    Effect.gen(function* () {
      const algorithms = ["RS256", "RS512", "PS256", "PS384", "ES256", "ES384", "ES512", "EdDSA"]
      const keys = yield* Effect.forEach(algorithms, (algorithm) => signingKey(algorithm, `key ${algorithm}`))
      const issuer = yield* startIssuer(keys)
      const { verify } = yield* checking(accepting(issuer))
      for (const key of keys) {
        expect(yield* verify(yield* sign(issuer, key))).toEqual(carol(issuer))
        expect(yield* verify(yield* sign(issuer, key, {}, { kid: undefined }))).toEqual(carol(issuer))
      }
      expect(yield* verify(yield* sign(issuer, keys[0]!, { aud: ["other", "flow"] }))).toEqual({
        ...carol(issuer),
        grants: new Map([["mytenant", "viewer"]])
      })
      expect(issuer.asked).toEqual({ keys: 1, discovery: 1 })
    })
  )

  it.effect("that name no key are tried with all that fit", () =>
    Effect.gen(function* () {
      const keys = yield* Effect.forEach(["a", "b", "c"], () => signingKey("ES256"))
      const issuer = yield* startIssuer(keys)
      const { verify } = yield* checking(accepting(issuer))
      for (const key of keys) expect(yield* verify(yield* sign(issuer, key))).toEqual(carol(issuer))
      expect(yield* verify(yield* sign(issuer, yield* signingKey("ES256")))).toBe(undefined)
    })
  )

  it.effect("that are forged, over, too early or of others are refused", () =>
    Effect.gen(function* () {
      const rsa = yield* signingKey("RS256", "rsa")
      const ec = yield* signingKey("ES256", "ec")
      const issuer = yield* startIssuer([rsa, ec])
      const { verify } = yield* checking(accepting(issuer))
      const claims = { iss: issuer.issuer, sub: "carol", aud: "flow", exp: inSeconds(300) }
      const published = (yield* Effect.promise(() => importJWK(rsa.jwk, "RS256", { extractable: true }))) as CryptoKey
      const pem = new TextEncoder().encode(yield* Effect.promise(() => exportSPKI(published)))
      const withSecret = (secret: Uint8Array, kid = "none") =>
        Effect.promise(() => new SignJWT(claims).setProtectedHeader({ alg: "HS256", kid }).sign(secret))
      const other = { ...(yield* signingKey("RS256")), jwk: { kid: "rsa" } }
      const curve = { ...(yield* signingKey("ES384")), jwk: { kid: "ec" } }
      const valid = yield* sign(issuer, ec)
      const [header = "", payload = "", signature = ""] = valid.split(".")
      const tokens = {
        none: new UnsecuredJWT(claims).encode(),
        noneWithKey: `${text({ alg: "none", kid: "ec" })}.${payload}.${signature}`,
        None: `${text({ alg: "None", kid: "ec" })}.${payload}.${signature}`,
        publicKeyAsSecret: yield* withSecret(pem, "rsa"),
        jwkAsSecret: yield* withSecret(new TextEncoder().encode(JSON.stringify(rsa.jwk)), "rsa"),
        emptySecret: yield* withSecret(new Uint8Array(32)),
        otherKey: yield* sign(issuer, other),
        otherCurve: yield* sign(issuer, curve),
        otherCurveOfKey: `${text({ alg: "ES384", kid: "ec" })}.${payload}.${signature}`,
        koblitz: `${text({ alg: "ES256K", kid: "ec" })}.${payload}.${signature}`,
        otherAlgorithm: `${text({ alg: "RS256", kid: "ec" })}.${payload}.${signature}`,
        pathAsKid: yield* sign(issuer, other, {}, { kid: "../../../dev/null" }),
        kidOfOtherType: yield* sign(issuer, other, {}, { kid: { a: 1 } }),
        ownKeyInHeader: yield* sign(issuer, other, {}, { jwk: (yield* signingKey("RS256")).jwk, kid: undefined }),
        critical: yield* Effect.promise(() =>
          new SignJWT({ ...claims })
            .setProtectedHeader({ alg: "ES256", kid: "ec", crit: ["http://example.com/x"], "http://example.com/x": 1 })
            .sign(ec.privateKey, { crit: { "http://example.com/x": true } })
        ),
        expired: yield* sign(issuer, ec, { exp: inSeconds(-60) }),
        endless: yield* sign(issuer, ec, { exp: undefined as never }),
        expiryAsText: yield* sign(issuer, ec, { exp: String(inSeconds(60)) as never }),
        tooEarly: yield* sign(issuer, ec, { nbf: inSeconds(60) }),
        issuedLater: yield* sign(issuer, ec, { iat: inSeconds(60) }),
        otherAudience: yield* sign(issuer, ec, { aud: "other" }),
        otherAudiences: yield* sign(issuer, ec, { aud: ["other", "flow2"] }),
        noAudience: yield* sign(issuer, ec, { aud: undefined as never }),
        otherIssuer: yield* sign(issuer, ec, { iss: "https://other.example" }),
        issuerWithSlash: yield* sign(issuer, ec, { iss: `${issuer.issuer}/` }),
        noIssuer: yield* sign(issuer, ec, { iss: undefined as never }),
        noSubject: yield* sign(issuer, ec, { sub: undefined as never }),
        emptySubject: yield* sign(issuer, ec, { sub: "" }),
        longSubject: yield* sign(issuer, ec, { sub: "x".repeat(256) }),
        large: yield* sign(issuer, ec, { more: "x".repeat(2 ** 20) }),
        overLimit: yield* sign(issuer, ec, { more: "x".repeat(13 * 1024) }),
        megabyte: "a".repeat(2 ** 20),
        dots: ".".repeat(2 ** 20),
        twoParts: `${header}.${payload}`,
        fiveParts: `${valid}.a.b`,
        padded: `${valid}=`,
        blank: ` ${valid}`,
        empty: "",
        noJson: `${base64url.encode("{")}.${payload}.${signature}`,
        listAsHeader: `${text(["ES256"])}.${payload}.${signature}`,
        noObject: yield* Effect.promise(async () => {
          const sent = `${header}.${text("carol")}`
          const bytes = await crypto.subtle.sign(
            { name: "ECDSA", hash: "SHA-256" },
            ec.privateKey,
            new TextEncoder().encode(sent)
          )
          return `${sent}.${base64url.encode(new Uint8Array(bytes))}`
        })
      }
      const results = yield* Effect.forEach(Object.entries(tokens), ([name, token]) =>
        Effect.map(verify(token), (principal) => [name, principal] as const)
      )
      expect(results.filter(([, principal]) => principal !== undefined)).toEqual([])
      expect(yield* verify(valid)).toEqual(carol(issuer))
      expect(yield* verify(yield* sign(issuer, ec, { more: "x".repeat(10 * 1024) }))).toEqual(carol(issuer))
    })
  )

  it.effect("with any character changed are refused", () =>
    Effect.gen(function* () {
      const key = yield* signingKey("ES256", "a")
      const issuer = yield* startIssuer([key])
      const { verify } = yield* checking(accepting(issuer))
      const token = yield* sign(issuer, key)
      expect(yield* verify(token)).toEqual(carol(issuer))
      const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
      const { below } = random(seed)
      const accepted: Array<string> = []
      for (let index = 0; index < token.length; index++) {
        // The last character of a part has bits without a meaning.
        const isLast = token[index + 1] === "." || index === token.length - 1
        const others = isLast ? [...letters] : Array.from({ length: 4 }, () => letters[below(64)]!)
        for (const other of [...others, ".", "=", " "]) {
          const changed = token.slice(0, index) + other + token.slice(index + 1)
          if (changed !== token && (yield* verify(changed)) !== undefined) accepted.push(`${index} ${other}`)
        }
      }
      expect(accepted).toEqual([])
    })
  )

  it.effect("of new keys are accepted soon, and forged keys ask the issuer seldom", () =>
    Effect.gen(function* () {
      const [a, b] = yield* Effect.all([signingKey("ES256", "a"), signingKey("ES256", "b")])
      const issuer = yield* startIssuer([a])
      const { verify } = yield* checking(accepting(issuer))
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
      const { verify, logs } = yield* checking(accepting(issuer))
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
      const { verify, logs } = yield* checking(accepting(issuer))
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
          const { verify, logs } = yield* checking(file)
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

  it.effect("are held to the issuer's own algorithms, audiences and clock skew", () =>
    Effect.gen(function* () {
      const [ec, rsa] = yield* Effect.all([signingKey("ES256", "ec"), signingKey("RS256", "rsa")])
      const issuer = yield* startIssuer([ec, rsa])
      const more = { algorithms: ["ES256", "HS256"], audience: ["a", "b"], clockSkew: 100_000 }
      const { verify } = yield* checking(accepting(issuer, more))
      expect((yield* verify(yield* sign(issuer, ec, { aud: "b" })))?.id).toBe(carol(issuer).id)
      expect(yield* verify(yield* sign(issuer, rsa, { aud: "b" }))).toBe(undefined)
      // The skew is at most five minutes.
      expect((yield* verify(yield* sign(issuer, ec, { aud: "b", exp: inSeconds(-200) })))?.id).toBe(carol(issuer).id)
      expect(yield* verify(yield* sign(issuer, ec, { aud: "b", exp: inSeconds(-400) }))).toBe(undefined)
    })
  )

  it.effect("are not valid for longer because they were verified, nor by rules that are gone", () =>
    Effect.gen(function* () {
      const key = yield* signingKey("ES256", "a")
      const issuer = yield* startIssuer([key])
      const { rules, verify } = yield* checking(accepting(issuer))
      const short = yield* sign(issuer, key, { exp: inSeconds(20) })
      const long = yield* sign(issuer, key, { exp: inSeconds(3600) })
      for (const token of [short, long]) expect(yield* verify(token)).toEqual(carol(issuer))
      expect(yield* after(40 * seconds)(verify(short))).toEqual(carol(issuer))
      expect(yield* after(55 * seconds)(verify(short))).toBe(undefined)
      // A key that the issuer has withdrawn is good for a minute at most, once the gateway knows.
      issuer.keys = [yield* signingKey("ES256", "b")]
      expect(
        yield* after(20 * minutes)(verify(yield* sign(issuer, issuer.keys[0]!, { exp: inSeconds(7200) })))
      ).toEqual(carol(issuer))
      expect(yield* after(20 * minutes)(verify(long))).toBe(undefined)
      issuer.keys = [key]
      const again = yield* sign(issuer, key, { exp: inSeconds(7200), jti: "again" })
      expect(yield* after(40 * minutes)(verify(again))).toEqual(carol(issuer))
      rules.file = accepting(issuer, { roles: [{ claim: "sub", value: "carol", tenant: "*", role: "admin" }] })
      expect((yield* after(40 * minutes)(verify(again)))?.grants).toEqual(new Map([["*", "admin"]]))
      rules.file = { issuers: [] }
      expect(yield* after(40 * minutes)(verify(again))).toBe(undefined)
      rules.file = {}
      expect(yield* after(40 * minutes)(verify(again))).toBe(undefined)
    })
  )
})

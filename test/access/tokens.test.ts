import { expect, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { base64url, exportSPKI, importJWK, SignJWT, UnsecuredJWT } from "jose"
import { random, seed } from "../support/random.ts"
import { accepting, carol, checking } from "./checking.ts"
import { inSeconds, sign, signingKey, startIssuer } from "./issuer.ts"

const seconds = 1000
const minutes = 60 * seconds

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
        subjectWithNul: yield* sign(issuer, ec, { sub: "a\u0000b" }),
        subjectWithSurrogate: yield* sign(issuer, ec, { sub: "a\ud800" }),
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
      const { after, rules, verify } = yield* checking(accepting(issuer))
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

import { createServer, type RequestListener } from "node:http"
import type { AddressInfo } from "node:net"
import { Effect } from "effect"
import { type CryptoKey, exportJWK, generateKeyPair, type JWK, type JWTPayload, SignJWT } from "jose"

/** A pair of keys of an issuer, with the public one as it is published. */
export interface SigningKey {
  readonly algorithm: string
  readonly privateKey: CryptoKey
  readonly jwk: JWK
}

/** Makes a pair of keys. Without a `kid`, tokens do not name it. */
export const signingKey = (algorithm: string, kid?: string) =>
  Effect.promise(async (): Promise<SigningKey> => {
    const { privateKey, publicKey } = await generateKeyPair(algorithm, { extractable: true })
    const jwk = { ...(await exportJWK(publicKey)), alg: algorithm, use: "sig", ...(kid === undefined ? {} : { kid }) }
    return { algorithm, privateKey, jwk }
  })

/** An OpenID Connect issuer on this machine. */
export interface TestIssuer {
  readonly issuer: string
  /** The host and port for `FLOW_OUTBOUND_ALLOW`. */
  readonly host: string
  /** What it publishes. */
  keys: ReadonlyArray<SigningKey>
  /** Answers in place of the issuer. */
  instead: RequestListener | undefined
  /** Requests for its keys and for its discovery document so far. */
  readonly asked: { keys: number; discovery: number }
  readonly close: Effect.Effect<void>
}

/** Starts an issuer with these keys. */
export const startIssuer = (keys: ReadonlyArray<SigningKey>, port = 0) =>
  Effect.acquireRelease(
    Effect.callback<TestIssuer>((resume) => {
      const asked = { keys: 0, discovery: 0 }
      const server = createServer((request, response) => {
        const isDiscovery = request.url === "/.well-known/openid-configuration"
        asked[isDiscovery ? "discovery" : "keys"] += 1
        if (made.instead !== undefined) return made.instead(request, response)
        const { issuer } = made
        const body = isDiscovery ? { issuer, jwks_uri: `${issuer}/keys` } : { keys: made.keys.map(({ jwk }) => jwk) }
        response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body))
      })
      const close = Effect.sync(() => {
        server.close()
        server.closeAllConnections()
      })
      let made: TestIssuer
      server.listen(port, "127.0.0.1", () => {
        const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
        made = { issuer: `http://${host}`, host, keys, instead: undefined, asked, close }
        resume(Effect.succeed(made))
      })
    }),
    ({ close }) => close
  )

/** Seconds from now, as claims have them. */
export const inSeconds = (seconds: number): number => Math.floor(Date.now() / 1000) + seconds

/** A token that the issuer has signed. Claims that are undefined are left out. */
export const sign = (
  { issuer }: Pick<TestIssuer, "issuer">,
  key: SigningKey,
  claims: JWTPayload = {},
  header: Readonly<Record<string, unknown>> = {}
) =>
  Effect.promise(() =>
    new SignJWT(
      JSON.parse(
        JSON.stringify({ iss: issuer, sub: "carol", aud: "flow", exp: inSeconds(300), iat: inSeconds(0), ...claims })
      ) as JWTPayload
    )
      .setProtectedHeader({ alg: key.algorithm, ...(key.jwk.kid === undefined ? {} : { kid: key.jwk.kid }), ...header })
      .sign(key.privateKey)
  )

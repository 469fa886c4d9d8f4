import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { text } from "node:stream/consumers"
import { Effect } from "effect"
import { type CryptoKey, calculateJwkThumbprint, exportJWK, generateKeyPair, type JWTPayload, SignJWT } from "jose"

/** The parameters of an authorization request. */
interface Asked {
  readonly challenge: string
  readonly nonce: string
  readonly redirectUri: string
  readonly clientId: string
}

/** An OpenID Connect issuer on this machine that logs everybody in as `subject`, without a page. */
export interface OidcIssuer {
  readonly issuer: string
  /** The host and port for `FLOW_OUTBOUND_ALLOW`. */
  readonly host: string
  /** The subject of the next login, and additional claims of the ID token. */
  subject: string
  claims: JWTPayload
  /** Signs ID tokens instead of the published key. */
  signer: CryptoKey | undefined
  /** Path of the token endpoint. */
  tokenPath: string
  /** Answers instead of the issuer, at the paths that it handles. */
  instead: Map<string, RequestListener>
  /** The answer of the authorization endpoint instead of a code. */
  denial: string | undefined
  /** Requests by path, and the bodies and credentials that the token endpoint received. */
  readonly asked: Map<string, number>
  readonly exchanges: Array<{ readonly body: URLSearchParams; readonly authorization: string | undefined }>
  /** The authorization endpoint's answer to a browser: the address of the gateway's callback. */
  readonly authorize: (url: string) => string
  /** A token of the issuer for `subject`, for five minutes unless the claims say otherwise. */
  readonly sign: (claims: JWTPayload) => Promise<string>
  readonly close: Effect.Effect<void>
}

/** The secret of the client `console`. */
export const clientSecret = "s3cret of the console"

const sha256 = async (verifier: string) =>
  Buffer.from(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(verifier))).toString("base64url")

const json = (response: ServerResponse, body: unknown, status = 200) =>
  void response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body))

const start = async (port: number): Promise<OidcIssuer> => {
  const { privateKey, publicKey } = await generateKeyPair("ES256", { extractable: true })
  const jwk = { ...(await exportJWK(publicKey)), alg: "ES256", use: "sig" }
  const kid = await calculateJwkThumbprint(jwk)
  /** The login of each code, until the code is used. */
  const codes = new Map<string, Asked>()
  let codesMade = 0

  const authorize = (address: string): string => {
    const { searchParams: query } = new URL(address)
    const get = (name: string) => query.get(name) ?? ""
    const back = new URL(get("redirect_uri"))
    back.searchParams.set("state", get("state"))
    if (made.denial !== undefined) back.searchParams.set("error", made.denial)
    else {
      codesMade += 1
      const code = `code-${codesMade}`
      const { length } = get("code_challenge")
      if (get("response_type") !== "code" || get("code_challenge_method") !== "S256" || length !== 43) {
        throw new Error(`This is no request for a code with PKCE: ${address}`)
      }
      codes.set(code, {
        challenge: get("code_challenge"),
        nonce: get("nonce"),
        redirectUri: get("redirect_uri"),
        clientId: get("client_id")
      })
      back.searchParams.set("code", code)
    }
    return back.href
  }

  const sign = (claims: JWTPayload): Promise<string> => {
    const now = Math.floor(Date.now() / 1000)
    const all = { iss: made.issuer, sub: made.subject, exp: now + 300, iat: now, ...claims }
    // Claims with the value undefined are omitted.
    return new SignJWT(JSON.parse(JSON.stringify(all)) as JWTPayload)
      .setProtectedHeader({ alg: "ES256", kid })
      .sign(made.signer ?? privateKey)
  }

  const exchange = async (request: IncomingMessage, response: ServerResponse) => {
    const body = new URLSearchParams(await text(request))
    made.exchanges.push({ body, authorization: request.headers.authorization })
    const code = body.get("code") ?? ""
    const asked = codes.get(code)
    codes.delete(code)
    const isTheirs =
      asked !== undefined &&
      asked.redirectUri === body.get("redirect_uri") &&
      asked.challenge === (await sha256(body.get("code_verifier") ?? ""))
    if (!isTheirs) return json(response, { error: "invalid_grant" }, 400)
    const idToken = await sign({ aud: asked.clientId, nonce: asked.nonce, ...made.claims })
    json(response, { access_token: "none", token_type: "Bearer", expires_in: 300, id_token: idToken })
  }

  const server = createServer((request, response) => {
    const path = (request.url ?? "").split("?", 1)[0] ?? ""
    made.asked.set(path, (made.asked.get(path) ?? 0) + 1)
    const instead = made.instead.get(path)
    if (instead !== undefined) return instead(request, response)
    const { issuer } = made
    switch (path) {
      case "/.well-known/openid-configuration":
        return json(response, {
          issuer,
          authorization_endpoint: `${issuer}/authorize`,
          token_endpoint: issuer + made.tokenPath,
          jwks_uri: `${issuer}/keys`,
          response_types_supported: ["code"],
          subject_types_supported: ["public"],
          id_token_signing_alg_values_supported: ["ES256"]
        })
      case "/keys":
        return json(response, { keys: [{ ...jwk, kid }] })
      case made.tokenPath:
        return void exchange(request, response)
      case "/authorize":
        return void response.writeHead(302, { location: authorize(`${issuer}${request.url}`) }).end()
      default:
        return json(response, {}, 404)
    }
  })
  await new Promise<void>((listening) => server.listen(port, "127.0.0.1", listening))
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  const made: OidcIssuer = {
    issuer: `http://${host}`,
    host,
    subject: "carol",
    claims: {},
    signer: undefined,
    tokenPath: "/token",
    instead: new Map(),
    denial: undefined,
    asked: new Map(),
    exchanges: [],
    authorize,
    sign,
    close: Effect.sync(() => {
      server.close()
      server.closeAllConnections()
    })
  }
  return made
}

/** Starts an issuer, by default on a free port. It stops with the scope. */
export const startOidcIssuer = (port = 0) =>
  Effect.acquireRelease(
    Effect.promise(() => start(port)),
    ({ close }) => close
  )

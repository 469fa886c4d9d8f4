import { writeFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import { Effect } from "effect"
import { exportJWK, generateKeyPair, SignJWT } from "jose"
import { hashPassword } from "../src/services/access/PasswordHash.ts"

/** An access file with one user, who is also the subject of the tokens of an issuer on this machine. */
export const access = async (file: string) => {
  const { privateKey, publicKey } = await generateKeyPair("ES256", { extractable: true })
  const jwk = { ...(await exportJWK(publicKey)), alg: "ES256", kid: "one", use: "sig" }
  let issuer = ""
  const server = createServer(({ url }, response) => {
    const isKeys = url === "/keys"
    response.writeHead(200, { "content-type": "application/json" })
    response.end(JSON.stringify(isKeys ? { keys: [jwk] } : { issuer, jwks_uri: `${issuer}/keys` }))
  })
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done))
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  issuer = `http://${host}`
  const password = await Effect.runPromise(Effect.provide(hashPassword("bench"), NodeCrypto.layerKdf))
  const roles = [{ claim: "sub", value: "bench", tenant: "*", role: "viewer" }]
  const users = { bench: { password, roles: { "*": "admin" } } }
  // Counted as by default, but never reached.
  const limits = { requestsPerSecond: 1_000_000, requestsPerSecondOfPrincipal: 1_000_000 }
  writeFileSync(file, JSON.stringify({ users, limits, issuers: [{ issuer, audience: "flow", roles }] }))

  const basic = { authorization: `Basic ${Buffer.from("bench:bench").toString("base64")}` }
  const token = await new SignJWT({ iss: issuer, sub: "bench", aud: "flow" })
    .setProtectedHeader({ alg: "ES256", kid: "one" })
    .setIssuedAt()
    .setExpirationTime("1 h")
    .sign(privateKey)
  /** The headers of a password, of an API key created by the gateway, and of a token. */
  const headers = async (url: string) => {
    const made = await fetch(`${url}/v1/mytenant/keys`, {
      method: "POST",
      headers: { ...basic, "content-type": "application/json" },
      body: JSON.stringify({ name: "bench", role: "viewer" })
    })
    const { key } = (await made.json()) as { readonly key: string }
    return {
      "a cached password": basic,
      "an API key": { "x-api-key": key },
      "a token": { authorization: `Bearer ${token}` }
    }
  }
  return { variables: { FLOW_AUTH: file, FLOW_OUTBOUND_ALLOW: host }, headers, close: () => server.close() }
}

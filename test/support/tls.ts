import { readFileSync } from "node:fs"
import type { IncomingHttpHeaders } from "node:http"
import { type Agent, request } from "node:https"
import { join } from "node:path"
import { type ConnectionOptions, connect, type TLSSocket } from "node:tls"
import { root } from "./documents.ts"

/** A test-only certificate and key, with the paths and contents of their files. */
const pair = (name: string) => {
  const files = { cert: join(root, `test/data/tls/${name}-cert.pem`), key: join(root, `test/data/tls/${name}-key.pem`) }
  return { files, cert: readFileSync(files.cert, "utf8"), key: readFileSync(files.key, "utf8") }
}
export const first = pair("first")
export const second = pair("second")

/** A request to a gateway on this machine. Its certificate must be one of the pairs. */
export const secureGet = (
  port: number,
  path: string,
  options: { readonly agent?: Agent; readonly headers?: Record<string, string> } = {}
): Promise<{ readonly status: number; readonly headers: IncomingHttpHeaders; readonly text: string }> =>
  new Promise((done, fail) => {
    const sending = request(
      { host: "127.0.0.1", port, path, ca: [first.cert, second.cert], agent: false, ...options },
      (answer) => {
        let text = ""
        answer.setEncoding("utf8").on("data", (chunk: string) => (text += chunk))
        answer.on("end", () => done({ status: answer.statusCode ?? 0, headers: answer.headers, text }))
        answer.on("error", fail)
      }
    )
    sending.on("error", fail)
    sending.end()
  })

/** A connection after its handshake. */
export const secureSocket = (port: number, options: ConnectionOptions = {}): Promise<TLSSocket> =>
  new Promise((done, fail) => {
    const ca = [first.cert, second.cert]
    const socket = connect({ host: "127.0.0.1", port, ca, ALPNProtocols: ["http/1.1"], ...options })
    socket.once("error", fail)
    socket.once("secureConnect", () => {
      socket.off("error", fail)
      socket.on("error", () => {})
      done(socket)
    })
  })

/** The fingerprint of the certificate for new connections. */
export const servedFingerprint = async (port: number): Promise<string> => {
  const socket = await secureSocket(port)
  const { fingerprint256 } = socket.getPeerCertificate()
  socket.destroy()
  return fingerprint256
}

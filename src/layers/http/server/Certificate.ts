import { constants, createPrivateKey, hash, type KeyObject, X509Certificate } from "node:crypto"
import { readFile, stat } from "node:fs/promises"
import { createSecureContext } from "node:tls"
import { Clock, Effect, Predicate, Schema, type Scope } from "effect"
import { observeGauge } from "../../../services/shared/process/ObservableMetrics.ts"

/** Paths of the files in PEM. */
interface CertificateFiles {
  readonly cert: string
  readonly key: string
}

/** A certificate chain and its private key in PEM, which belong together. */
export interface Certificate extends CertificateFiles {
  /** Milliseconds since 1970. */
  readonly expires: number
}

/** Why the files cannot be used, and the setting that names the one at fault. The message has no contents. */
export class CertificateFault extends Schema.TaggedError<CertificateFault>()("CertificateFault", {
  variable: Schema.Literals(["FLOW_TLS_CERT", "FLOW_TLS_KEY"]),
  message: Schema.String
}) {}

/**
 * TLS options of the server: version 1.2 or newer, HTTP/1.1, and no renegotiation, which clients could abuse at no
 * cost.
 */
export const secureOptions = ({ cert, key }: Certificate) => ({
  cert,
  key,
  minVersion: "TLSv1.2" as const,
  ALPNProtocols: ["http/1.1"],
  secureOptions: constants.SSL_OP_NO_RENEGOTIATION
})

/** Maximum size of a file in bytes: a chain has some thousands. */
const largest = 1024 * 1024

const codeOf = (error: unknown): string => (Predicate.hasProperty(error, "code") ? String(error.code) : "unknown")

const readable: Readonly<Record<string, string>> = {
  ENOENT: "does not exist",
  ENOTDIR: "does not exist",
  EACCES: "may not be read by the gateway's user"
}

const readPem = (variable: CertificateFault["variable"], path: string) =>
  Effect.tryPromise({
    try: async () => {
      // Only regular files: reading a pipe might never end.
      const file = await stat(path)
      if (!file.isFile()) throw Object.assign(new Error(), { code: "is no file" })
      if (file.size > largest) throw Object.assign(new Error(), { code: "is larger than 1 MiB" })
      return await readFile(path, "utf8")
    },
    catch: (error) => {
      const code = codeOf(error)
      const reason = readable[code] ?? (code.startsWith("is ") ? code : `cannot be read (${code})`)
      return new CertificateFault({ variable, message: `${path} ${reason}` })
    }
  })

const privateKeyOf = (key: string, path: string): KeyObject => {
  const fault = (message: string) => new CertificateFault({ variable: "FLOW_TLS_KEY", message: `${path} ${message}` })
  try {
    return createPrivateKey(key)
  } catch (error) {
    if (codeOf(error) === "ERR_MISSING_PASSPHRASE") {
      throw fault("is encrypted; write it without a passphrase, as with: openssl pkey -in key.pem -out plain.pem")
    }
    throw fault("holds no private key in PEM")
  }
}

/** Checks everything for which a server would reject this pair. Throws a {@link CertificateFault}. */
const check = (files: CertificateFiles, cert: string, key: string): Certificate => {
  const fault = (message: string) =>
    new CertificateFault({ variable: "FLOW_TLS_CERT", message: `${files.cert} ${message}` })
  const begun = cert.split("-----BEGIN CERTIFICATE-----").length - 1
  if (begun === 0) throw fault("holds no certificate in PEM")
  if (begun !== cert.split("-----END CERTIFICATE-----").length - 1) throw fault("ends within a certificate")
  let leaf: X509Certificate
  try {
    leaf = new X509Certificate(cert)
  } catch {
    throw fault("holds no certificate in PEM")
  }
  if (!leaf.checkPrivateKey(privateKeyOf(key, files.key))) {
    const message = `${files.key} is not the key of the certificate in ${files.cert}, whose first one must be the server's`
    throw new CertificateFault({ variable: "FLOW_TLS_KEY", message })
  }
  const certificate = { cert, key, expires: leaf.validToDate.getTime() }
  try {
    createSecureContext(secureOptions(certificate))
  } catch (error) {
    const reason = Predicate.hasProperty(error, "reason") ? `: ${String(error.reason)}` : ""
    throw fault(`cannot be used for TLS${reason}`)
  }
  return certificate
}

const read = Effect.fnUntraced(function* (files: CertificateFiles) {
  const cert = yield* readPem("FLOW_TLS_CERT", files.cert)
  const key = yield* readPem("FLOW_TLS_KEY", files.key)
  return { cert, key, digest: hash("sha256", `${cert}\0${key}`) }
})

const checked = (files: CertificateFiles, { cert, key }: { readonly cert: string; readonly key: string }) =>
  Effect.try({
    try: () => check(files, cert, key),
    catch: (error) =>
      error instanceof CertificateFault
        ? error
        : new CertificateFault({ variable: "FLOW_TLS_CERT", message: `${files.cert} cannot be used for TLS` })
  })

/** Reads and checks the files. */
export const loadCertificate = (files: CertificateFiles): Effect.Effect<Certificate, CertificateFault> =>
  Effect.flatMap(read(files), (texts) => checked(files, texts))

const day = 86_400_000
/** Time before a certificate expires, in milliseconds, from which on the log warns once a day. */
const warned = 14 * day

/** The files of a certificate that is in use. */
interface CertificateWatch {
  /** Reads the files, and starts to use a new pair. To be called repeatedly, but never twice at the same time. */
  readonly look: Effect.Effect<void>
  /** 1 while the files cannot be used, else 0. */
  readonly faulty: () => number
}

/**
 * Watches the files, and calls `use` with a new pair. A fault is reported only when the next check finds it again,
 * because programs that renew certificates write one file after the other.
 */
export const watchCertificate = (
  files: CertificateFiles,
  first: Certificate,
  use: (certificate: Certificate) => void
): Effect.Effect<CertificateWatch, never, Scope.Scope> =>
  Effect.gen(function* () {
    let current = first
    let used = hash("sha256", `${first.cert}\0${first.key}`)
    let suspected: string | undefined
    let reported: string | undefined
    let warnedAt = Number.NEGATIVE_INFINITY
    const found = Effect.gen(function* () {
      const texts = yield* read(files)
      if (texts.digest !== used) {
        current = yield* checked(files, texts)
        yield* Effect.sync(() => use(current))
        used = texts.digest
        warnedAt = Number.NEGATIVE_INFINITY
        const until = new Date(current.expires).toISOString()
        yield* Effect.logInfo(`New connections get the certificate in ${files.cert}, which expires at ${until}`)
      } else if (reported !== undefined) {
        yield* Effect.logInfo(`${files.cert} and ${files.key} are in order again`)
      }
      suspected = undefined
      reported = undefined
    })
    const look = Effect.gen(function* () {
      yield* Effect.catch(found, ({ variable, message }) => {
        const fault = `${variable}: ${message}`
        const isNew = fault === suspected && fault !== reported
        suspected = fault
        if (!isNew) return Effect.void
        reported = fault
        return Effect.logError(`The certificate that was loaded before stays in use. ${fault}`)
      })
      const now = yield* Clock.currentTimeMillis
      if (current.expires - now >= warned || now - warnedAt < day) return
      warnedAt = now
      const verb = current.expires <= now ? "has expired" : "expires"
      yield* Effect.logWarning(`The certificate in ${files.cert} ${verb} at ${new Date(current.expires).toISOString()}`)
    })
    const gauge = (name: string, description: string, value: () => number) => observeGauge(name, { description }, value)
    const faulty = () => (reported === undefined ? 0 : 1)
    yield* gauge(
      "flow_tls_certificate_expires_seconds",
      "When the certificate in use expires, in seconds since 1970",
      () => current.expires / 1000
    )
    yield* gauge("flow_tls_certificate_faulty", "1 while the files of the certificate cannot be used, else 0", faulty)
    return { look, faulty }
  })

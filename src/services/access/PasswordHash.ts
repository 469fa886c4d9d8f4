import { Effect, Result } from "effect"
import { type CryptoError, Kdf } from "effect/crypto"
import * as Base64 from "effect/encoding/Base64"

/** A password as it is stored: Argon2id with its parameters, salt and hash. */
export interface PasswordHash {
  /** In KiB. */
  readonly memory: number
  readonly passes: number
  readonly parallelism: number
  readonly salt: Uint8Array
  readonly hash: Uint8Array
}

/** RFC 9106's second recommended setting, with one lane: 64 MiB and 3 passes. */
export const defaultCost = { memory: 65_536, passes: 3, parallelism: 1 }

/**
 * The costs that stored hashes may have. Less memory makes stolen hashes cheap to try (OWASP, Password Storage); more
 * would let one login take the machine.
 */
const bounds = {
  memory: [7168, 1_048_576],
  passes: [1, 10],
  parallelism: [1, 16],
  salt: [8, 64],
  hash: [16, 64]
} as const

/** The longest password in bytes of UTF-8. */
export const maxPasswordBytes = 1024

const saltBytes = 16
const hashBytes = 32

const unpadded = (bytes: Uint8Array): string => Base64.encode(bytes).replace(/=+$/, "")

/** The hash in the PHC string format: `$argon2id$v=19$m=<KiB>,t=<passes>,p=<lanes>$<salt>$<hash>`. */
export const formatPasswordHash = ({ memory, passes, parallelism, salt, hash }: PasswordHash): string =>
  `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${unpadded(salt)}$${unpadded(hash)}`

const phc = /^\$argon2id\$v=19\$m=(\d{1,9}),t=(\d{1,9}),p=(\d{1,9})\$([A-Za-z0-9+/]{1,128})\$([A-Za-z0-9+/]{1,128})$/

const bytesOf = (text: string): Uint8Array =>
  Result.getOrElse(Base64.decode(text.padEnd(Math.ceil(text.length / 4) * 4, "=")), () => new Uint8Array())

/** Reads a stored hash; else what is wrong with it, without repeating it. */
export const parsePasswordHash = (text: string): PasswordHash | string => {
  const found = phc.exec(text)
  if (found === null) {
    return "Expected a hash as `flow-gateway hash-password` prints it: $argon2id$v=19$m=…,t=…,p=…$<salt>$<hash>"
  }
  const [memory, passes, parallelism] = found.slice(1, 4).map(Number) as [number, number, number]
  const [salt, hash] = [bytesOf(found[4]!), bytesOf(found[5]!)]
  const wrong = (what: string, unit: string, value: number, [least, most]: readonly [number, number]) =>
    value >= least && value <= most ? undefined : `Expected ${what} between ${least} and ${most}${unit}, found ${value}`
  return (
    wrong("memory (m)", " KiB", memory, bounds.memory) ??
    wrong("passes (t)", "", passes, bounds.passes) ??
    wrong("lanes (p)", "", parallelism, bounds.parallelism) ??
    wrong("a salt", " bytes", salt.length, bounds.salt) ??
    wrong("a hash", " bytes", hash.length, bounds.hash) ?? { memory, passes, parallelism, salt, hash }
  )
}

/** The Argon2id hash of a password. Passwords are compared in Unicode's normal form NFC. */
export const derivePasswordHash = (
  password: string,
  {
    salt,
    hash,
    ...cost
  }: Pick<PasswordHash, "memory" | "passes" | "parallelism" | "salt"> & { hash: { length: number } }
): Effect.Effect<Uint8Array, CryptoError.CryptoError, Kdf.Kdf> =>
  Kdf.Kdf.use((kdf) =>
    kdf.derive(Kdf.argon2id(cost), new TextEncoder().encode(password.normalize("NFC")), { salt, length: hash.length })
  )

/** Hashes a new password with a random salt. */
export const hashPassword = (password: string): Effect.Effect<string, CryptoError.CryptoError, Kdf.Kdf> => {
  const salt = crypto.getRandomValues(new Uint8Array(saltBytes))
  const given = { ...defaultCost, salt, hash: { length: hashBytes } }
  return Effect.map(derivePasswordHash(password, given), (hash) => formatPasswordHash({ ...defaultCost, salt, hash }))
}

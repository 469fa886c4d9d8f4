import { Effect } from "effect"
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

const saltBytes = 16
const hashBytes = 32

const unpadded = (bytes: Uint8Array): string => Base64.encode(bytes).replace(/=+$/, "")

/** The hash in the PHC string format: `$argon2id$v=19$m=<KiB>,t=<passes>,p=<lanes>$<salt>$<hash>`. */
export const formatPasswordHash = ({ memory, passes, parallelism, salt, hash }: PasswordHash): string =>
  `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${unpadded(salt)}$${unpadded(hash)}`

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

import { Brand, Schema } from "effect"
import * as Base64Url from "effect/encoding/Base64Url"
import * as Hex from "effect/encoding/Hex"
import { Role } from "../shared/security/Principal.ts"

/** The id of a key, which is a part of its text: eight hex digits. */
export type KeyId = Brand.Branded<string, "KeyId">
export const KeyId = Brand.nominal<KeyId>()

/** Whether the text can be the id of a key. */
export const isKeyId = (text: string): boolean => /^[0-9a-f]{8}$/.test(text)

/** Length of every key: `fgk_<id>_<256 random bits in base64url>`. */
const keyLength = 4 + 8 + 1 + 43

/** The id in the text of a key; undefined when the text cannot be a key. The bits are for the hash to check. */
export const keyIdOf = (text: string): KeyId | undefined => {
  if (text.length !== keyLength || !text.startsWith("fgk_") || text[12] !== "_") return undefined
  const id = text.slice(4, 12)
  return isKeyId(id) ? KeyId(id) : undefined
}

/** Makes the text of a new key. */
export const makeKey = (): string => {
  const random = (bytes: number) => crypto.getRandomValues(new Uint8Array(bytes))
  return `fgk_${Hex.encode(random(4))}_${Base64Url.encode(random(32))}`
}

const prefix = "key:"

/** The principal of a key. */
export const keyPrincipal = (id: KeyId): string => `${prefix}${id}`

/** The key of a principal; undefined when it is none. */
export const keyOfPrincipal = (id: string): KeyId | undefined =>
  id.startsWith(prefix) ? KeyId(id.slice(prefix.length)) : undefined

const days = { minimum: 1, maximum: 3650 }

/** The request of a new key. */
export const KeyRequest = Schema.Struct({
  name: Schema.NonEmptyString.check(
    Schema.isMaxLength(100),
    Schema.isPattern(/^[^\u0000-\u001f\u007f-\u009f]*$/)
  ).annotate({
    description: "What the key is for, without control characters"
  }),
  role: Role.annotate({ description: "Role of the key for the tenant" }),
  expiresAt: Schema.optionalKey(
    Schema.String.check(
      Schema.isPattern(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,9})?(Z|[+-]\d{2}:\d{2})$/, {
        expected: "a time such as 2027-01-01T00:00:00Z"
      })
    ).annotate({ description: "When the key ends: ISO 8601 with a zone; never by default" })
  ),
  expiresInDays: Schema.optionalKey(
    Schema.Int.check(Schema.isBetween(days)).annotate({ description: "The same in days from now" })
  )
}).annotate({ identifier: "KeyRequest" })
export type KeyRequest = typeof KeyRequest.Type

const fields = {
  id: Schema.String.annotate({ description: "Id of the key, the visible part of its text" }),
  name: Schema.String,
  role: Role,
  owner: Schema.String.annotate({
    description: "The principal whose rights limit the key: who made it, or the owner of the key with which it was made"
  }),
  parent: Schema.NullOr(Schema.String).annotate({
    description: "Id of the key with which it was made; it ends with it"
  }),
  createdAt: Schema.String,
  expiresAt: Schema.NullOr(Schema.String)
}

/** A key as it is listed. */
export const ApiKey = Schema.Struct({
  ...fields,
  lastUsedAt: Schema.NullOr(Schema.String).annotate({ description: "To within two minutes" }),
  revokedAt: Schema.NullOr(Schema.String)
}).annotate({ identifier: "ApiKey" })
export type ApiKey = typeof ApiKey.Type

/** A key that was just made. */
export const NewApiKey = Schema.Struct({
  ...fields,
  key: Schema.String.annotate({ description: "The key itself. No other answer ever has it" })
}).annotate({ identifier: "NewApiKey" })
export type NewApiKey = typeof NewApiKey.Type

import { Schema } from "effect"
import { TenantLimits } from "../limits/Limits.ts"
import { everyTenant, Role } from "../shared/security/Principal.ts"
import { RootName, RootText } from "../shared/settings/RootRules.ts"
import { TenantName } from "../shared/Tenant.ts"
import { parsePasswordHash } from "./PasswordHash.ts"

const isTenantName = Schema.is(TenantName)

/** A tenant's name, or `*` for all tenants. */
const TenantOrAll = Schema.String.check(Schema.makeFilter((name) => name === everyTenant || isTenantName(name)))

/** Basic credentials separate the name from the password by a colon (RFC 7617). */
const UserName = Schema.String.check(Schema.isPattern(/^(?!__proto__$)[^:\p{Cc}]{1,128}$/u))

const StoredPassword = Schema.String.check(
  Schema.makeFilter((text: string) => {
    const parsed = parsePasswordHash(text)
    return typeof parsed === "string" ? parsed : undefined
  })
)

const User = Schema.Struct({
  /** `$argon2id$v=19$m=…,t=…,p=…$<salt>$<hash>`, as `flow-gateway hash-password` makes it. */
  password: StoredPassword,
  roles: Schema.Record(TenantOrAll, Role)
})

/**
 * The signature algorithms that tokens may have. All are asymmetric: a secret that issuer and gateway shared would let
 * the gateway make tokens.
 */
export const tokenAlgorithms = [
  ...(["RS256", "RS384", "RS512", "PS256", "PS384", "PS512"] as const),
  ...(["ES256", "ES384", "ES512", "EdDSA", "Ed25519"] as const)
]

const Address = Schema.String.check(
  Schema.makeFilter((text: string) =>
    /^https?:$/.test(URL.parse(text)?.protocol ?? "") ? undefined : "Expected a URL such as https://login.example.com"
  )
)

/** Where the value of a secret comes from. */
const SecretSource = Schema.Union([Schema.Struct({ env: Schema.String }), Schema.Struct({ file: Schema.String })])

/** How browsers log in at an issuer: what it knows of the gateway as its client. */
const Login = Schema.Struct({
  clientId: Schema.String.check(Schema.isMinLength(1)),
  /** Absent for a public client, which PKCE alone protects. */
  clientSecret: Schema.optionalKey(SecretSource),
  /** What the button says; by default the issuer's host. */
  name: Schema.optionalKey(Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(100))),
  /** Scopes to ask for; `openid` is always among them. */
  scope: Schema.optionalKey(Schema.String)
})

/** An OpenID Connect issuer whose tokens are accepted. */
const Issuer = Schema.Struct({
  issuer: Address,
  audience: Schema.Union([Schema.String, Schema.Array(Schema.String)]),
  /** Address of its keys; by default what its discovery document names. */
  jwksUri: Schema.optionalKey(Address),
  /** Signature algorithms that are accepted; by default the usual asymmetric ones. */
  algorithms: Schema.optionalKey(Schema.Array(Schema.Literals(tokenAlgorithms))),
  /** Seconds by which clocks may differ. */
  clockSkew: Schema.optionalKey(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 300 }))),
  /** Browsers may log in there. */
  login: Schema.optionalKey(Login),
  /** Which values of which claims give which role. A claim may be a list or a path such as `realm_access.roles`. */
  roles: Schema.Array(Schema.Struct({ claim: Schema.String, value: Schema.String, tenant: TenantOrAll, role: Role }))
})

const TenantRules = Schema.Struct({
  /** A suspended tenant's channels stop, and its requests are refused; its data stays. */
  suspended: Schema.optionalKey(Schema.Boolean),
  limits: Schema.optionalKey(TenantLimits),
  secrets: Schema.optionalKey(Schema.Record(Schema.String, SecretSource)),
  /** Folders that its runs may use, in addition to those of `FLOW_ROOTS` or in their place; null takes one away. */
  roots: Schema.optionalKey(Schema.Record(RootName, Schema.NullOr(RootText))),
  /** Whether Python nodes of the tenant may use the network. */
  network: Schema.optionalKey(Schema.Boolean)
})

/** How long sessions of browsers last. */
const SessionTimes = Schema.Struct({
  /** Minutes without a request after which a session ends. */
  idleMinutes: Schema.optionalKey(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 43_200 }))),
  /** Hours after the login at which it ends in any case. */
  hours: Schema.optionalKey(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 720 })))
})

/** The file that `FLOW_AUTH` names: who may do what. */
export const AccessFile = Schema.Struct({
  users: Schema.optionalKey(Schema.Record(UserName, User)),
  issuers: Schema.optionalKey(Schema.Array(Issuer)),
  /** The tenants that exist. Without it each folder of the configuration is one. */
  tenants: Schema.optionalKey(Schema.Record(TenantName, TenantRules)),
  /** Limits of tenants that have none of their own. */
  limits: Schema.optionalKey(TenantLimits),
  sessions: Schema.optionalKey(SessionTimes)
})
export type AccessFile = typeof AccessFile.Type

/** An issuer of the access file. */
export type Issuer = NonNullable<AccessFile["issuers"]>[number]

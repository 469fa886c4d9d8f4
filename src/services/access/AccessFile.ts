import { Schema } from "effect"
import { TenantLimits } from "../limits/Limits.ts"
import { Role } from "../shared/Access.ts"
import { TenantName } from "../shared/Tenant.ts"

/** A tenant's name, or `*` for all tenants. */
const TenantOrAll = Schema.Union([Schema.Literal("*"), TenantName])

const User = Schema.Struct({
  /** `$argon2id$v=19$m=…,t=…,p=…$<salt>$<hash>`, as `flow-gateway hash-password` makes it. */
  password: Schema.String,
  roles: Schema.Record(TenantOrAll, Role)
})

/** An OpenID Connect issuer whose tokens are accepted. */
const Issuer = Schema.Struct({
  issuer: Schema.String,
  audience: Schema.Union([Schema.String, Schema.Array(Schema.String)]),
  /** Address of its keys; by default what its discovery document names. */
  jwksUri: Schema.optionalKey(Schema.String),
  /** Signature algorithms that are accepted; by default the usual asymmetric ones. */
  algorithms: Schema.optionalKey(Schema.Array(Schema.String)),
  /** Seconds by which clocks may differ. */
  clockSkew: Schema.optionalKey(Schema.Int),
  /** Which values of which claims give which role. A claim may be a list or a path such as `realm_access.roles`. */
  roles: Schema.Array(Schema.Struct({ claim: Schema.String, value: Schema.String, tenant: TenantOrAll, role: Role }))
})

/** Where the value of a secret comes from. */
const SecretSource = Schema.Union([Schema.Struct({ env: Schema.String }), Schema.Struct({ file: Schema.String })])

const TenantRules = Schema.Struct({
  /** A suspended tenant's channels stop, and its requests are refused; its data stays. */
  suspended: Schema.optionalKey(Schema.Boolean),
  limits: Schema.optionalKey(TenantLimits),
  secrets: Schema.optionalKey(Schema.Record(Schema.String, SecretSource)),
  /** Whether Python nodes of the tenant may use the network. */
  network: Schema.optionalKey(Schema.Boolean)
})

/** The file that `FLOW_AUTH` names: who may do what. */
export const AccessFile = Schema.Struct({
  users: Schema.optionalKey(Schema.Record(Schema.String, User)),
  issuers: Schema.optionalKey(Schema.Array(Issuer)),
  /** The tenants that exist. Without it each folder of the configuration is one. */
  tenants: Schema.optionalKey(Schema.Record(TenantName, TenantRules)),
  /** Limits of tenants that have none of their own. */
  limits: Schema.optionalKey(TenantLimits)
})
export type AccessFile = typeof AccessFile.Type

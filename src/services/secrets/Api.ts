import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { BadRequest } from "../../errors/BadRequest.ts"
import { NoSecretKey } from "../../errors/NoSecretKey.ts"
import { NotFound } from "../../errors/NotFound.ts"
import { PreconditionFailed } from "../../errors/PreconditionFailed.ts"
import { StorageUnreachable } from "../../errors/StorageUnreachable.ts"
import { TooLarge } from "../../errors/TooLarge.ts"
import { TooMany } from "../../errors/TooMany.ts"
import { UnsupportedMediaType } from "../../errors/UnsupportedMediaType.ts"
import { secretName } from "../../protocol/Secrets.ts"
import { NeededRole } from "../shared/requests/EndpointAnnotations.ts"
import { text } from "../shared/requests/Parameters.ts"
import { Authorization } from "../shared/security/Security.ts"
import { KnownTenant, tenantParams } from "../shared/Tenant.ts"
import { SecretEntry } from "./SecretEntry.ts"

const params = {
  ...tenantParams,
  name: text({ description: "Name of the secret", example: "COLLECTOR_TOKEN" }, { pattern: secretName.source }).check(
    Schema.isPattern(secretName, { expected: "a capital letter, then at most 63 capital letters, digits and _" })
  )
}

const SecretValue = Schema.Struct({
  value: Schema.String.check(Schema.isMinLength(1)).annotate({ description: "The secret, at most 64 KiB of UTF-8" })
}).annotate({ identifier: "SecretValue" })

export class SecretsApi extends HttpApiGroup.make("secrets")
  .add(
    HttpApiEndpoint.get("list", "/v1/:tenant/secrets", {
      params: tenantParams,
      success: Schema.Array(SecretEntry),
      error: StorageUnreachable
    })
      .annotate(NeededRole, "developer")
      .annotate(
        OpenApi.Summary,
        "Lists the secrets that flowlines can refer to, without their values, ordered by name"
      ),
    HttpApiEndpoint.put("put", "/v1/:tenant/secrets/:name", {
      params,
      payload: SecretValue,
      success: HttpApiSchema.NoContent,
      error: [BadRequest, NoSecretKey, PreconditionFailed, StorageUnreachable, TooLarge, TooMany, UnsupportedMediaType]
    })
      .annotate(NeededRole, "admin")
      .annotate(OpenApi.Summary, "Sets a secret in the encrypted store"),
    HttpApiEndpoint.delete("remove", "/v1/:tenant/secrets/:name", {
      params,
      success: HttpApiSchema.NoContent,
      error: [BadRequest, NotFound, PreconditionFailed, StorageUnreachable]
    })
      .annotate(NeededRole, "admin")
      .annotate(OpenApi.Summary, "Deletes a secret from the encrypted store")
  )
  .middleware(Authorization)
  .middleware(KnownTenant)
  .annotateMerge(OpenApi.annotations({ title: "Secrets" })) {}

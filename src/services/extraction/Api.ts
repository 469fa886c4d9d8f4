import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { BadRequest } from "../../errors/BadRequest.ts"
import { Conflict } from "../../errors/Conflict.ts"
import { IdempotencyKeyReused } from "../../errors/IdempotencyKeyReused.ts"
import { NotFound } from "../../errors/NotFound.ts"
import { Overloaded } from "../../errors/Overloaded.ts"
import { QueueFull } from "../../errors/QueueFull.ts"
import { StorageUnreachable } from "../../errors/StorageUnreachable.ts"
import { TooLarge } from "../../errors/TooLarge.ts"
import { UnsupportedMediaType } from "../../errors/UnsupportedMediaType.ts"
import { NeededRole } from "../shared/requests/EndpointAnnotations.ts"
import { Authorization } from "../shared/security/Security.ts"
import { KnownTenant, tenantParams } from "../shared/Tenant.ts"
import { ExtractionRequest, ExtractionStarted } from "./ExtractionRequest.ts"

export class ExtractionApi extends HttpApiGroup.make("extraction")
  .add(
    HttpApiEndpoint.post("extract", "/v1/:tenant/extraction", {
      params: tenantParams,
      payload: [ExtractionRequest, Schema.Null],
      success: ExtractionStarted,
      error: [
        BadRequest,
        Conflict,
        IdempotencyKeyReused,
        NotFound,
        Overloaded,
        QueueFull,
        StorageUnreachable,
        TooLarge,
        UnsupportedMediaType
      ]
    })
      .annotate(NeededRole, "operator")
      .annotate(
        OpenApi.Summary,
        "Extracts documents of an index into an archive, with a generated flowline that starts immediately"
      )
  )
  .middleware(Authorization)
  .middleware(KnownTenant)
  .annotateMerge(OpenApi.annotations({ title: "Extraction" })) {}

import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { NotFound } from "../../errors/NotFound.ts"
import { Overloaded } from "../../errors/Overloaded.ts"
import { PreconditionFailed } from "../../errors/PreconditionFailed.ts"
import { RangeNotSatisfiable } from "../../errors/RangeNotSatisfiable.ts"
import { StorageUnreachable } from "../../errors/StorageUnreachable.ts"
import { NeededRole, SpansSegments } from "../shared/requests/EndpointAnnotations.ts"
import { text } from "../shared/requests/Parameters.ts"
import { RelativePath } from "../shared/requests/RelativePath.ts"
import { Authorization } from "../shared/security/Security.ts"
import { KnownTenant, tenantParams } from "../shared/Tenant.ts"

const isRelativePath = Schema.is(RelativePath)

const PagePath = text(
  {
    description: "Path of the page or image; the extension and a trailing `index` are optional",
    example: "flowlines"
  },
  { maxLength: 4097 }
).check(
  Schema.makeFilter((path: string) =>
    isRelativePath(path.replace(/\/$/, "")) ? undefined : "Expected the path of a page without `.` and `..` segments"
  )
)

const success = HttpApiSchema.StreamUint8Array({ contentType: "text/markdown" })
const error = [NotFound, Overloaded, PreconditionFailed, RangeNotSatisfiable, StorageUnreachable] as const

export class DocumentationApi extends HttpApiGroup.make("documentation")
  .add(
    HttpApiEndpoint.get("index", "/v1/:tenant/documentation", { params: tenantParams, success, error })
      .annotate(NeededRole, "viewer")
      .annotate(OpenApi.Summary, "Gets the start page of the documentation, or a list of all pages"),
    HttpApiEndpoint.get("page", "/v1/:tenant/documentation/:page", {
      params: { ...tenantParams, page: PagePath },
      success,
      error
    })
      .annotate(NeededRole, "viewer")
      .annotate(SpansSegments, true)
      .annotate(OpenApi.Summary, "Gets a page of the documentation")
  )
  .middleware(Authorization)
  .middleware(KnownTenant)
  .annotateMerge(OpenApi.annotations({ title: "Documentation" })) {}

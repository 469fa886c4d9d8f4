import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { NotFound } from "../../errors/NotFound.ts"
import { PreconditionFailed } from "../../errors/PreconditionFailed.ts"
import { RangeNotSatisfiable } from "../../errors/RangeNotSatisfiable.ts"
import { StorageUnreachable } from "../../errors/StorageUnreachable.ts"
import { RelativePath, SpansSegments } from "../shared/RelativePath.ts"
import { KnownTenant, tenantParams } from "../shared/Tenant.ts"

const isRelativePath = Schema.is(RelativePath)

const PagePath = Schema.String.check(
  Schema.makeFilter((path: string) =>
    isRelativePath(path.replace(/\/$/, "")) ? undefined : "Expected the path of a page, without `.` and `..` segments"
  )
).annotate({
  identifier: "PagePath",
  description: "Path of the page or picture; its extension and a trailing `index` may be left out"
})

const success = HttpApiSchema.StreamUint8Array({ contentType: "text/markdown" })
const error = [NotFound, PreconditionFailed, RangeNotSatisfiable, StorageUnreachable] as const
const description =
  "From the tenant's `documentation/` folder, else from the product's own documentation. Markdown is sent as it is, or " +
  "as a page of HTML to those whose Accept header names text/html."

export class DocumentationApi extends HttpApiGroup.make("documentation")
  .add(
    HttpApiEndpoint.get("index", "/v1/:tenant/documentation", { params: tenantParams, success, error })
      .annotate(OpenApi.Summary, "The first page of the documentation, or a list of all pages")
      .annotate(OpenApi.Description, description),
    HttpApiEndpoint.get("page", "/v1/:tenant/documentation/:page", {
      params: { ...tenantParams, page: PagePath },
      success,
      error
    })
      .annotate(SpansSegments, true)
      .annotate(OpenApi.Summary, "A page of the documentation")
      .annotate(OpenApi.Description, description)
  )
  .middleware(KnownTenant)
  .annotateMerge(OpenApi.annotations({ title: "Documentation" })) {}

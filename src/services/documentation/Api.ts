import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { NotFound } from "../../errors/NotFound.ts"
import { Overloaded } from "../../errors/Overloaded.ts"
import { PreconditionFailed } from "../../errors/PreconditionFailed.ts"
import { RangeNotSatisfiable } from "../../errors/RangeNotSatisfiable.ts"
import { StorageUnreachable } from "../../errors/StorageUnreachable.ts"
import { RelativePath, SpansSegments } from "../shared/RelativePath.ts"
import { KnownTenant, tenantParams } from "../shared/Tenant.ts"

const isRelativePath = Schema.is(RelativePath)

const PagePath = Schema.String.check(
  Schema.makeFilter((path: string) =>
    isRelativePath(path.replace(/\/$/, "")) ? undefined : "Expected the path of a page without `.` and `..` segments"
  )
).annotate({
  identifier: "PagePath",
  description: "Path of the page or image; the extension and a trailing `index` are optional"
})

const success = HttpApiSchema.StreamUint8Array({ contentType: "text/markdown" })
const error = [NotFound, Overloaded, PreconditionFailed, RangeNotSatisfiable, StorageUnreachable] as const
const description =
  "Pages come from the tenant's `documentation/` folder, else from the product's documentation. Markdown is sent " +
  "unchanged, or rendered as HTML when the Accept header prefers text/html."

export class DocumentationApi extends HttpApiGroup.make("documentation")
  .add(
    HttpApiEndpoint.get("index", "/v1/:tenant/documentation", { params: tenantParams, success, error })
      .annotate(OpenApi.Summary, "Gets the start page of the documentation, or a list of all pages")
      .annotate(OpenApi.Description, description),
    HttpApiEndpoint.get("page", "/v1/:tenant/documentation/:page", {
      params: { ...tenantParams, page: PagePath },
      success,
      error
    })
      .annotate(SpansSegments, true)
      .annotate(OpenApi.Summary, "Gets a page of the documentation")
      .annotate(OpenApi.Description, description)
  )
  .middleware(KnownTenant)
  .annotateMerge(OpenApi.annotations({ title: "Documentation" })) {}

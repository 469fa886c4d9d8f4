import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { BadRequest } from "../../errors/BadRequest.ts"
import { InvalidOperator } from "../../errors/InvalidOperator.ts"
import { NotFound } from "../../errors/NotFound.ts"
import { Overloaded } from "../../errors/Overloaded.ts"
import { RequestTimeout } from "../../errors/RequestTimeout.ts"
import { StorageUnreachable } from "../../errors/StorageUnreachable.ts"
import { TooLarge } from "../../errors/TooLarge.ts"
import { ChangesNothing, NeededRole } from "../shared/requests/EndpointAnnotations.ts"
import { choice, filePart, text as parameter } from "../shared/requests/Parameters.ts"
import { Authorization } from "../shared/security/Security.ts"
import { TenantOfFiles } from "../shared/Tenant.ts"
import { Bank, ecsChoices } from "./Bank.ts"
import { OperatorTest, operators } from "./OperatorTest.ts"
import { Proposals } from "./Proposals.ts"

const text = (description: string) => Schema.optionalKey(Schema.String.annotate({ description }))

/** The parts of an operator test. The server accepts a file or a text field for each part. */
const TestForm = Schema.Struct({
  input: filePart("Log samples in UTF-8, one per line"),
  pattern: Schema.optionalKey(
    filePart("Patterns, one per line, tried in order; empty lines and lines that start with # are skipped")
  ),
  logFile: Schema.optionalKey(filePart("For flowlet: the program; if absent, `pattern` contains it")),
  definitions: Schema.optionalKey(filePart("For grok: pattern definitions, one `NAME regex` per line")),
  ecsCompatibility: text("For grok: `disabled` (default) or `v1`"),
  appendSeparator: text("For dissect: separator of appended values; empty by default"),
  split: text("`lines` (default) for one sample per line, or `none` for the whole input as one sample")
}).annotate({ identifier: "OperatorTestForm" })

const ProposeForm = Schema.Struct({
  input: filePart("Log samples in UTF-8, one per line: some lines of every kind")
}).annotate({ identifier: "ProposeForm" })

export class OperatorsApi extends HttpApiGroup.make("operators")
  .add(
    HttpApiEndpoint.get("patterns", "/v1/flower/patterns", {
      query: {
        tenant: Schema.optionalKey(TenantOfFiles),
        ecsCompatibility: Schema.optionalKey(
          choice(ecsChoices, { description: "Field names of the built-in patterns; default disabled", example: "v1" })
        )
      },
      success: Bank,
      error: [BadRequest, NotFound, StorageUnreachable]
    })
      .annotate(NeededRole, "viewer")
      .annotate(OpenApi.Summary, "Lists the grok patterns that tests can refer to"),
    HttpApiEndpoint.post("propose", "/v1/flower/propose", {
      query: {
        tenant: Schema.optionalKey(TenantOfFiles)
      },
      payload: ProposeForm.pipe(HttpApiSchema.asMultipartStream({ fieldMimeTypes: [] })),
      success: Proposals,
      error: [BadRequest, NotFound, Overloaded, RequestTimeout, StorageUnreachable, TooLarge]
    })
      .annotate(NeededRole, "viewer")
      .annotate(ChangesNothing, true)
      .annotate(OpenApi.Summary, "Proposes grok and dissect patterns for log samples"),
    HttpApiEndpoint.post("test", "/v1/flower/:operator", {
      params: {
        operator: parameter(
          { description: "Operator; anything else is not found", example: "grok" },
          { enum: operators }
        )
      },
      query: {
        tenant: Schema.optionalKey(TenantOfFiles)
      },
      payload: TestForm.pipe(HttpApiSchema.asMultipartStream({ fieldMimeTypes: [] })),
      success: OperatorTest,
      error: [BadRequest, InvalidOperator, NotFound, Overloaded, RequestTimeout, StorageUnreachable, TooLarge]
    })
      .annotate(ChangesNothing, true)
      .annotate(NeededRole, "viewer")
      .annotate(OpenApi.Summary, "Tests a parsing operator on log samples")
  )
  .middleware(Authorization)
  .annotateMerge(OpenApi.annotations({ title: "Operators" })) {}

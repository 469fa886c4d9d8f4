import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { BadRequest } from "../../errors/BadRequest.ts"
import { InvalidOperator } from "../../errors/InvalidOperator.ts"
import { NotFound } from "../../errors/NotFound.ts"
import { Overloaded } from "../../errors/Overloaded.ts"
import { StorageUnreachable } from "../../errors/StorageUnreachable.ts"
import { TooLarge } from "../../errors/TooLarge.ts"
import { TenantName } from "../shared/Tenant.ts"
import { OperatorTest } from "./OperatorTest.ts"

// Not Effect's file schema: its optional parts come out as required in OpenAPI. The server reads the form itself.
const file = (description: string) => Schema.String.annotate({ description, format: "binary" })
const text = (description: string) => Schema.optionalKey(Schema.String.annotate({ description }))

/** The parts of an operator test. The server takes a file or a text field for each of them. */
const TestForm = Schema.Struct({
  input: file("Log samples in UTF-8, one on each line"),
  pattern: Schema.optionalKey(file("Patterns, tried in order: one on each line that is neither empty nor a # comment")),
  logFile: Schema.optionalKey(file("For flowlet: the program; without this part it is read from `pattern`")),
  definitions: Schema.optionalKey(file("For grok: pattern definitions, `NAME regex` on each line")),
  ecsCompatibility: text("For grok: `disabled` (default) or `v1`"),
  appendSeparator: text("For dissect: what stands between appended values, by default nothing"),
  split: text("`lines` (default), or `none` to take the whole input as one sample")
})

export class OperatorsApi extends HttpApiGroup.make("operators")
  .add(
    HttpApiEndpoint.post("test", "/v1/flower/:operator", {
      params: {
        operator: Schema.String.annotate({ description: "`grok`, `dissect` or `flowlet`", examples: ["grok"] })
      },
      query: {
        tenant: Schema.optionalKey(TenantName).annotate({
          description: "Whose grok patterns the test knows; by default those of the default tenant"
        })
      },
      payload: TestForm.pipe(HttpApiSchema.asMultipartStream({ fieldMimeTypes: [] })),
      success: OperatorTest,
      error: [BadRequest, InvalidOperator, NotFound, Overloaded, StorageUnreachable, TooLarge]
    }).annotate(OpenApi.Summary, "Test a parsing operator on log samples")
  )
  .annotateMerge(OpenApi.annotations({ title: "Operators" })) {}

import { Schema } from "effect"
import { HttpApiError } from "effect/http-api"

/** What every problem has besides when it is sent: `Problems.ts` adds it, and clients read it. */
const ids = { traceId: Schema.optionalKey(Schema.String), requestId: Schema.optionalKey(Schema.String) }

/** The class of a problem, as `HttpApiError.Problem` makes it, with the ids of the answer and of its request. */
export const Problem =
  <Self>() =>
  <
    const Tag extends string,
    const Type extends string,
    const Status extends number,
    const Fields extends HttpApiError.ProblemExtensionFields = Record<never, never>
  >(
    tag: Tag,
    declaration: HttpApiError.ProblemDeclaration<Type, Status>,
    fields?: Fields
  ): HttpApiError.ProblemClass<Self, Tag, Type, Status, Fields & typeof ids, Record<never, never>> =>
    HttpApiError.Problem<Self>()(tag, declaration, { ...(fields as Fields), ...ids }) as never

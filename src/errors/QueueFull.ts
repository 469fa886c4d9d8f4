import { Schema } from "effect"
import { Problem } from "./Problem.ts"

/** As many executions of the tenant are waiting as may. `limit` is the name of the limit, `value` its value. */
export class QueueFull extends Problem<QueueFull>()(
  "QueueFull",
  { type: "/problems/queue-full", status: 429, title: "The queue is full" },
  {
    limit: Schema.String,
    value: Schema.Int,
    used: Schema.Int.annotate({ description: "What would be in use with the request" }),
    key: Schema.String.annotate({ description: "What is counted, such as `tenant:mytenant`" }),
    tenant: Schema.optionalKey(Schema.String)
  }
) {}

import { Schema } from "effect"
import { HttpApiError } from "effect/http-api"

/** As many executions of the tenant are waiting as may. `limit` is the name of the setting, `value` its value. */
export class QueueFull extends HttpApiError.Problem<QueueFull>()(
  "QueueFull",
  { type: "/problems/queue-full", status: 429, title: "The queue is full" },
  { limit: Schema.String, value: Schema.Int, tenant: Schema.optionalKey(Schema.String) }
) {}

import { Context } from "effect"

/** The identity of this gateway among those on the same database. */
export class Gateway extends Context.Service<
  Gateway,
  {
    /** The `owner` of the executions that this gateway runs. */
    readonly id: string
    /** `<host>:<pid>`, as the interface shows it. */
    readonly name: string
    /** `<host>:<port>` at which the other gateways reach this one. */
    readonly address: string
  }
>()("flow/runs/Gateway") {}

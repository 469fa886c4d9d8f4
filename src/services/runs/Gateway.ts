import { Context } from "effect"

/** This process among those that serve the same database. */
export class Gateway extends Context.Service<
  Gateway,
  {
    /** Executions carry the id of the one that runs them. */
    readonly id: string
    /** For people: `<host>:<pid>`. */
    readonly name: string
    /** Where the others of the cluster find it: `<host>:<port>`. */
    readonly address: string
  }
>()("flow/runs/Gateway") {}

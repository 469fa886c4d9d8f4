import { Context } from "effect"

/** This process among those that serve the same database. Executions carry the id of the one that runs them. */
export class Gateway extends Context.Service<Gateway, { readonly id: string }>()("flow/executions/Gateway") {}

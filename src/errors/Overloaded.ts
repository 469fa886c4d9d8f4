import { Problem } from "./Problem.ts"

/** The gateway already works on its maximum number of such requests. The client can retry the same request later. */
export class Overloaded extends Problem<Overloaded>()("Overloaded", {
  type: "/problems/unavailable",
  status: 503,
  title: "The gateway is shutting down or overloaded"
}) {}

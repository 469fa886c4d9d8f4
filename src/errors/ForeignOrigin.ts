import { Problem } from "./Problem.ts"

/** A page of another site has sent a request that changes something. */
export class ForeignOrigin extends Problem<ForeignOrigin>()("ForeignOrigin", {
  type: "/problems/foreign-origin",
  status: 403,
  title: "Request from another site"
}) {}

import { Problem } from "./Problem.ts"

/** The body of the request came too slowly. The rest of it is not read. */
export class RequestTimeout extends Problem<RequestTimeout>()("RequestTimeout", {
  type: "/problems/request-timeout",
  status: 408,
  title: "The request took too long"
}) {}

import { Problem } from "./Problem.ts"

/** The request has no credentials, or credentials that are not valid. The answer never tells which part was wrong. */
export class Unauthorized extends Problem<Unauthorized>()("Unauthorized", {
  type: "/problems/unauthorized",
  status: 401,
  title: "Authentication required"
}) {}

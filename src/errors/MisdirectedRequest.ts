import { Problem } from "./Problem.ts"

/** The `Host` header names a host that this gateway does not answer for (RFC 9110, 15.5.20). */
export class MisdirectedRequest extends Problem<MisdirectedRequest>()("MisdirectedRequest", {
  type: "/problems/misdirected-request",
  status: 421,
  title: "Misdirected request"
}) {}

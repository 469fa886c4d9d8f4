import { Schema } from "effect"
import { Problem } from "./Problem.ts"

/** The `Range` of a download lies outside the representation of `size` bytes (RFC 9110, section 14.2). */
export class RangeNotSatisfiable extends Problem<RangeNotSatisfiable>()(
  "RangeNotSatisfiable",
  { type: "/problems/range-not-satisfiable", status: 416, title: "Range not satisfiable" },
  { size: Schema.Int }
) {}

import { programFault } from "../operators/flowlet/Check.ts"
import type { FlowletSettings } from "./Flowlet.ts"
import type { SettingsIssue } from "./Node.ts"

/** A program is given in one of two ways, and one that stands in the settings compiles. */
export const checkFlowlet = ({ code, file }: FlowletSettings): ReadonlyArray<SettingsIssue> => {
  if ((code === undefined) === (file === undefined)) return [{ path: [], detail: "expected either code or file" }]
  const fault = code === undefined ? undefined : programFault(code)
  if (fault === undefined) return []
  const { message, line, column } = fault
  return [
    {
      path: ["code"],
      detail: message,
      ...(line === undefined ? {} : { line }),
      ...(column === undefined ? {} : { column })
    }
  ]
}

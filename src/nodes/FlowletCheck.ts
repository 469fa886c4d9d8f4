import { programFault } from "../languages/flowlet/Check.ts"
import type { Purpose } from "../languages/flowlet/Program.ts"
import type { SettingsIssue } from "./Node.ts"
import type { FilterSettings } from "./processing/Filter.ts"
import type { FlowletSettings } from "./processing/Flowlet.ts"

const checkCode = (code: string | undefined, purpose: Purpose): ReadonlyArray<SettingsIssue> => {
  const fault = code === undefined ? undefined : programFault(code, purpose)
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

/** A program is given in one of two ways, and one that stands in the settings compiles. */
export const checkFlowlet = ({ code, file }: FlowletSettings): ReadonlyArray<SettingsIssue> =>
  (code === undefined) === (file === undefined)
    ? [{ path: [], detail: "expected either code or file" }]
    : checkCode(code, "flowlet")

/** The program of a filter compiles. */
export const checkFilter = ({ code }: FilterSettings): ReadonlyArray<SettingsIssue> => checkCode(code, "filter")

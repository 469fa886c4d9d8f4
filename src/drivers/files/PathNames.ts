import { globFault, globTest } from "../../languages/Glob.ts"
import { workFolder } from "../../protocol/Roots.ts"
import { Failure } from "../Failure.ts"
import { escaped, odd } from "./OddNames.ts"

/** The segments of a path. Throws if the path could leave its folder or be ambiguous. */
export const segments = (path: string): ReadonlyArray<string> => {
  const parts = path.split("/")
  const bad = (part: string) => part === "" || part === "." || part === ".." || Buffer.byteLength(part) > 255
  if (parts[0] === workFolder) throw new Failure(`The folder "${workFolder}" is the gateway's own`)
  if (parts.some(bad) || odd.test(path)) throw new Failure(`The path "${escaped(path)}" is not valid`)
  return parts
}

/** A function that tests whether a path matches the pattern. */
export const matcher = (pattern: string): ((path: string) => boolean) => {
  const fault = globFault(pattern)
  if (fault !== undefined) throw new Failure(fault)
  return globTest(pattern)
}

import { execFile } from "node:child_process"
import { packagePath } from "../Package.ts"

/** A usable Python interpreter. */
export interface Interpreter {
  readonly command: string
  readonly version: string
}

/** The message when there is no interpreter. */
export const noPython = "Python 3.9 or newer is not installed on this machine: there is no python3 that can be started"

/** The path of a program that is shipped with the product. */
export const pythonProgram = (name: string): string => packagePath(`python/${name}`)

/**
 * Isolated from the environment and the working folder; writes no bytecode next to the sources; UTF-8 in every locale.
 */
export const pythonOptions = ["-I", "-B", "-X", "utf8"]

const oldest = 9

const versionOf = (command: string): Promise<Interpreter | undefined> =>
  new Promise((resolve) => {
    const program = "import sys; print('%d.%d.%d' % sys.version_info[:3])"
    execFile(command, ["-I", "-c", program], { timeout: 10_000 }, (error, stdout) => {
      const version = /^3\.(\d+)\.\d+$/.exec(stdout.trim())
      const isNew = error === null && version !== null && Number(version[1]) >= oldest
      resolve(isNew ? { command, version: version[0] } : undefined)
    })
  })

/** The first interpreter on the PATH that is new enough. */
export const findPython = async (): Promise<Interpreter | undefined> => {
  for (const command of ["python3", "python"]) {
    const found = await versionOf(command)
    if (found !== undefined) return found
  }
  return undefined
}

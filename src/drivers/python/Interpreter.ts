import { execFile } from "node:child_process"
import type { Interpreter } from "../../protocol/Isolation.ts"
import { codeOf, Failure } from "../Failure.ts"
import { packagePath } from "../Package.ts"
import { inheritedVariables } from "../Programs.ts"

/** The message when there is no interpreter. */
export const noPython = "Python 3.9 or newer is not installed on this machine: there is no python3 that can be started"

/** The path of a program that is shipped with the product. */
export const pythonProgram = (name: string): string => packagePath(`python/${name}`)

/**
 * Isolated from the environment and the working folder; writes no bytecode next to the sources; UTF-8 in every locale.
 */
export const pythonOptions = ["-I", "-B", "-X", "utf8"]

/** The environment of Python programs. */
export const pythonEnvironment = (): NodeJS.ProcessEnv =>
  Object.fromEntries(inheritedVariables.flatMap((name) => (name in process.env ? [[name, process.env[name]]] : [])))

const oldest = 9

/** Milliseconds for an interpreter to tell its version, on a busy machine. */
const patience = 10_000

/** Error codes of a command that does not exist or must not be started. Any other failure leaves open what it is. */
const absent = new Set(["ENOENT", "ENOTDIR", "EACCES", "EPERM", "ENOEXEC", "ELOOP"])

/** Rejects where that cannot be told, for example on a machine without free processes or memory. */
const versionOf = (command: string): Promise<Interpreter | undefined> =>
  new Promise((resolve, reject) => {
    const program = [
      "import os, sys",
      "print('%d.%d.%d' % sys.version_info[:3], sys.executable)",
      "real = os.path.dirname(os.path.realpath(sys.executable))",
      "folders = {sys.prefix, sys.exec_prefix, sys.base_prefix, sys.base_exec_prefix, real, *sys.path}",
      "print('\\0'.join(sorted(os.path.abspath(it) for it in folders if it and os.path.exists(it))), end='')"
    ].join("\n")
    const options = { timeout: patience, env: pythonEnvironment() }
    execFile(command, ["-I", "-c", program], options, (error, stdout) => {
      const code = codeOf(error)
      if (code !== undefined && !absent.has(code)) {
        return reject(new Failure(`${command} could not be started: ${code}`))
      }
      if (error?.signal === "SIGKILL" || error?.signal === "SIGTERM") {
        return reject(new Failure(`${command} did not tell its version within ${patience / 1000} seconds`))
      }
      const [, version, minor, path, folders = ""] = /^(3\.(\d+)\.\d+) (.*)\n([^\n]*)$/.exec(stdout) ?? []
      const isNew = error === null && version !== undefined && Number(minor) >= oldest
      // A command may be a script that looks for the interpreter, which takes longer than the interpreter's start.
      const found = path === undefined || path === "" ? command : path
      resolve(isNew ? { command: found, version, folders: folders.split("\0").filter(Boolean) } : undefined)
    })
  })

/** The first interpreter on the PATH that is new enough. Rejects where that cannot be told now. */
export const findPython = async (): Promise<Interpreter | undefined> => {
  for (const command of ["python3", "python"]) {
    const found = await versionOf(command)
    if (found !== undefined) return found
  }
  return undefined
}

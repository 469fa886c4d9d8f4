import { execFile } from "node:child_process"
import { promisify } from "node:util"
import { type Fence, root } from "./documents.ts"

const run = promisify(execFile)

/** A block of commands, what it printed, and what the document says that it prints, if it says so. */
export interface Step {
  readonly commands: string
  readonly printed: string
  readonly documented: Fence | undefined
}

const border = "=== end of step ==="

/**
 * Runs the `sh` blocks of a document in one shell, in the project's folder. A command that fails ends the tour.
 *
 * @param address the line that says where the gateway is, and what to put in its place
 */
export const takeTour = async (
  blocks: ReadonlyArray<Fence>,
  address: readonly [documented: string, actual: string],
  path: string
): Promise<ReadonlyArray<Step>> => {
  const steps = blocks.flatMap(({ language, text }, index) => {
    const next = blocks[index + 1]
    return language === "sh" ? [{ commands: text, documented: next?.language === "sh" ? undefined : next }] : []
  })
  const script = steps.map(({ commands }) => `${commands.replace(...address)}\necho; echo '${border}'\n`).join("")
  const { stdout } = await run("bash", ["-e", "-c", script], {
    cwd: root,
    env: { ...process.env, PATH: path },
    maxBuffer: 64 * 1024 * 1024,
    timeout: 60_000
  })
  const printed = stdout.split(`${border}\n`)
  return steps.map((step, index) => ({ ...step, printed: printed[index] ?? "" }))
}

/** What differs from run to run: ids, times, measurements. */
const settled = (text: string): string =>
  text
    .replace(/(?<![\w-])[\w-]{20}-\d{13}(?![\w-])/g, "EXECUTION")
    .replace(/(?<![\w-])[\w-]{20}(?![\w-])/g, "FLOWLINE")
    .replace(/\d{4}-\d\d-\d\dT[\d:]{8}\.\d{3}Z/g, "TIME")
    .replace(/("(?:micros|duration)":)\s*\d+/g, "$1NUMBER")
    .replace(/("jobId":)\s*"[^"]*"/g, "$1JOB")
    .replace(/("traceId":)\s*"[0-9a-f]{32}"/g, "$1TRACE")

const comparable = (text: string, language: string): string =>
  language === "json" ? settled(text).replace(/\s+/g, "") : settled(text).replace(/^ +/gm, "").trim()

/** A pattern for what was printed: `…` stands for anything. */
export const expectation = ({ language, text }: Fence): RegExp => {
  const parts = comparable(text, language).split("…")
  return new RegExp(`^${parts.map((part) => part.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&")).join("[\\s\\S]*")}$`)
}

export const asPrinted = ({ printed, documented }: Step): string => comparable(printed, documented?.language ?? "")

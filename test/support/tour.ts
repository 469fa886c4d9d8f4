import { execFile } from "node:child_process"
import { promisify } from "node:util"
import { Predicate } from "effect"
import { type Fence, root } from "./documents.ts"

const run = promisify(execFile)

/** A block of commands, its output, and the documented output, if there is one. */
export interface Step {
  readonly commands: string
  readonly printed: string
  readonly documented: Fence | undefined
}

const border = "=== end of step ==="

/**
 * Runs the `sh` blocks of a document in one shell, in the project's folder. A failing command ends the tour.
 *
 * @param address the gateway's address in the document, and its real address
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
  const script = steps.map(({ commands }) => `${commands.replaceAll(...address)}\necho; echo '${border}'\n`).join("")
  const { stdout } = await run("bash", ["-e", "-c", script], {
    cwd: root,
    // Where the machine needs a proxy to reach the registry, curl would also use it for the gateway.
    env: { ...process.env, PATH: path, no_proxy: "127.0.0.1,localhost" },
    maxBuffer: 64 * 1024 * 1024,
    timeout: 60_000
  })
  const printed = stdout.split(`${border}\n`)
  return steps.map((step, index) => ({ ...step, printed: printed[index] ?? "" }))
}

/** Values that differ between runs: ids, times, measurements. */
const settled = (text: string): string =>
  text
    .replace(/(?<![\w-])[\w-]{20}-\d{13}(?![\w-])/g, "EXECUTION")
    .replace(/(?<![\w-])[\w-]{20}(?![\w-])/g, "FLOWLINE")
    .replace(/\d{4}-\d\d-\d\dT[\d:]{8}\.\d{3}Z/g, "TIME")
    .replace(/("(?:micros|duration)":)\s*\d+/g, "$10")
    .replace(/("(?:jobId|requestId|traceId)":)\s*"[^"]*"/g, '$1""')
    .replace(/^ +/gm, "")
    .trim()

const isLike = (said: string, printed: string): boolean => {
  const parts = said.split("…").map((part) => part.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&"))
  return new RegExp(`^${parts.join("[\\s\\S]*")}$`).test(printed)
}

/** JSON in which `…` stands for omitted members or elements. */
const parse = (text: string): unknown => {
  const open: Array<string> = []
  const whole = text.replace(/"(?:[^"\\]|\\.)*"|[[\]{}…]/g, (token) => {
    if (token === "{" || token === "[") open.push(token)
    else if (token === "}" || token === "]") open.pop()
    else if (token === "…") return open.at(-1) === "{" ? '"…":0' : '"…"'
    return token
  })
  return JSON.parse(whole)
}

/** Whether a value equals the documented one, with members in any order. */
const matches = (said: unknown, real: unknown): boolean => {
  if (typeof said === "string") return typeof real === "string" && isLike(said, real)
  if (Array.isArray(said)) {
    if (!Array.isArray(real)) return false
    const gap = said.indexOf("…")
    if (gap === -1) return said.length === real.length && said.every((item, index) => matches(item, real[index]))
    const after = said.slice(gap + 1)
    const rest = after.length === 0 ? [] : real.slice(-after.length)
    return real.length >= said.length - 1 && matches(said.slice(0, gap), real.slice(0, gap)) && matches(after, rest)
  }
  if (!Predicate.isObject(said)) return said === real
  if (!Predicate.isObject(real)) return false
  const { "…": gap, ...members } = { "…": undefined, ...said }
  const given = new Map<string, unknown>(Object.entries(real))
  const names = Object.keys(members)
  if (gap === undefined && names.length !== given.size) return false
  return Object.entries(members).every(([name, value]) => given.has(name) && matches(value, given.get(name)))
}

/** Whether a step printed the documented output. */
export const isAsSaid = ({ printed, documented }: Step): boolean => {
  if (documented === undefined) return true
  const [said, real] = [settled(documented.text), settled(printed)]
  return documented.language === "json" ? matches(parse(said), JSON.parse(real)) : isLike(said, real)
}

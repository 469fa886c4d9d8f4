import { mkdtemp, readFile, rm } from "node:fs/promises"
import { release, tmpdir, userInfo } from "node:os"
import { join } from "node:path"
import { findIsolation } from "../../drivers/isolation/Probe.ts"
import { findPython, noPython } from "../../drivers/python/Interpreter.ts"
import { messageOf } from "../../languages/ErrorMessage.ts"
import { type IsolationPart, isolationParts, type RunIsolation, type RunPart } from "../../protocol/Isolation.ts"
import type { Settings } from "../../services/shared/settings/Settings.ts"
import { findRunIsolation } from "../isolation/RunProbe.ts"
import { type Finding, fault, missing, ok } from "./Finding.ts"
import { limitFindings } from "./ProcessLimits.ts"

const cures: Readonly<Record<IsolationPart, string>> = {
  files:
    "allow user namespaces (sysctl kernel.unprivileged_userns_clone, user.max_user_namespaces), or install bubblewrap",
  processes: "as for files",
  network: "as for files",
  user: "start the gateway as root, and install Python where everybody may read it",
  privileges: "allow prctl and capset in the container's seccomp profile"
}

const what: Readonly<Record<IsolationPart, string>> = {
  files: "Python programs see the system's folders and a temporary one",
  processes: "Python programs see their own processes only",
  network: "Python programs have no network unless their tenant may use it",
  user: "each Python program runs as a user of its own",
  privileges: "Python programs have no privileges and cannot get any"
}

const runsWhat: Readonly<Record<RunPart, string>> = {
  files: "runs see the system's folders, the product's and their tenant's",
  processes: "runs see their own processes only",
  network: "runs have no network: FLOW_RUN_NETWORK is off",
  user: "each run has a user of its own",
  privileges: "runs have no privileges and cannot get any"
}

const runsCures: Readonly<Record<RunPart, string>> = {
  ...cures,
  files: "install Python 3.9 or newer, and allow user namespaces (sysctl user.max_user_namespaces)",
  user: "start the gateway as root, with FLOW_DATA on a file system that knows idmapped mounts (ext4, XFS, btrfs)",
  privileges: "as for files; for an ordinary user, util-linux (setpriv) is enough"
}

const runFindings = ({ parts, missing: lacks }: RunIsolation): ReadonlyArray<Finding> => [
  ...parts.map((part) => ok(`runs: ${part}`, runsWhat[part])),
  ...lacks.map(({ part, reason }) => missing(`runs: ${part}`, reason, runsCures[part]))
]

const nothing = { hidden: [], roots: [] }

const isolationFindings = async ({
  isolation: mode,
  runNetwork: hasNetwork
}: Pick<Settings["Service"], "isolation" | "runNetwork">): Promise<ReadonlyArray<Finding>> => {
  const python = await findPython()
  if (python === undefined) {
    return [
      missing("python", noPython, "install Python 3.9 or newer, or do without flowlines of Python nodes"),
      ...(mode === "off"
        ? []
        : runFindings(await findRunIsolation({}, { ...nothing, hasNetwork, tempRoot: tmpdir() }, tmpdir())))
    ]
  }
  const found = ok("python", `${python.version}, ${python.command}`)
  if (mode === "off") {
    return [
      found,
      missing(
        "isolation",
        "FLOW_ISOLATION is off: Python programs and runs may do all that the gateway may",
        "set FLOW_ISOLATION to auto"
      )
    ]
  }
  const root = await mkdtemp(join(tmpdir(), "flow-doctor-"))
  try {
    const isolation = await findIsolation(python, { root, hidden: [] })
    const parts = isolationParts.map((part): Finding => {
      const name = `isolation: ${part}`
      const lack = isolation.missing.find((it) => it.part === part)
      return lack === undefined ? ok(name, what[part]) : missing(name, lack.reason, cures[part])
    })
    const { bubblewrap } = isolation
    return [
      found,
      ...parts,
      ...(bubblewrap === undefined ? [] : [ok("bubblewrap", `${bubblewrap} makes the namespaces`)]),
      ...runFindings(
        await findRunIsolation({ interpreter: python, isolation }, { ...nothing, hasNetwork, tempRoot: root }, root)
      )
    ]
  } finally {
    await rm(root, { recursive: true, force: true })
  }
}

/** A clock that shows a time before this version was built is wrong, which breaks certificates and tokens. */
const builtAt = Date.UTC(2026, 0, 1)

const clockFinding = (): Finding => {
  const now = new Date()
  return now.getTime() >= builtAt
    ? ok("clock", now.toISOString())
    : fault("clock", `${now.toISOString()} is in the past`, "set the machine's clock, and keep it with NTP")
}

const processLimits = async (): Promise<ReadonlyArray<Finding>> => {
  const limits = await readFile("/proc/self/limits", "utf8").catch(() => "")
  return limitFindings(limits, process.geteuid?.() === 0)
}

/** The gateway's user. A container can be given the id of a user that the system does not know. */
const userFinding = (): Finding => {
  const system = `${process.platform} ${release()}`
  try {
    const { uid, username } = userInfo()
    return ok("user", `${username} (${uid}) on ${system}`)
  } catch {
    return missing(
      "user",
      `${process.geteuid?.()} on ${system}, without an entry in /etc/passwd`,
      "add one: the embedded PostgreSQL cannot be set up without it (docs/faq.md)"
    )
  }
}

/** What this machine is, and how well it can isolate programs of users. */
export const machineFindings = async (
  settings: Pick<Settings["Service"], "isolation" | "runNetwork">
): Promise<ReadonlyArray<Finding>> => [
  ok("node", process.versions.node),
  userFinding(),
  clockFinding(),
  ...(await processLimits()),
  ...(await isolationFindings(settings).catch((error) => [
    missing("isolation", messageOf(error), "repeat this when the machine is less busy")
  ]))
]

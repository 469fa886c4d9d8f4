import { spawnSync } from "node:child_process"
import { chmodSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { Effect } from "effect"
import { runFile } from "../support/process.ts"
import { temporary } from "../support/process-gateway.ts"
import type { Said } from "./machine.ts"
import { type Attempt, flowline, hiddenPowers, hostile, isRoot, outcomesOf } from "./victim.ts"

const machine = new URL("./machine.ts", import.meta.url)
const ordinary = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
export const withoutAdmin = ["setpriv", "--bounding-set=-sys_admin"]

const runs = (command: ReadonlyArray<string>) =>
  isRoot && spawnSync(command[0]!, command.slice(1), { cwd: "/", stdio: "ignore" }).status === 0

/** Whether another user than root can run this clone's files and find a Python. */
const othersPass = runs([
  ...ordinary,
  process.execPath,
  "-e",
  `require("node:fs").accessSync(${JSON.stringify(fileURLToPath(machine))})`
])
/** Where others than root find a Python. */
export const systemPython = "/usr/bin:/bin"
export const othersHavePython =
  othersPass && runs([...ordinary, "env", `PATH=${systemPython}`, "python3", "-c", "import ctypes"])

/** Runs the attempts in a process on such a machine. */
export const on = Effect.fnUntraced(function* (
  through: ReadonlyArray<string>,
  attempts: (folder: string) => ReadonlyArray<Attempt>,
  makers = "python"
) {
  const folder = yield* temporary
  const work = join(folder, "work")
  writeFileSync(join(folder, "secret.txt"), "of the gateway")
  chmodSync(folder, 0o777)
  const running = runFile(machine, [work, makers, flowline(attempts(folder)), hostile], { through })
  const line = yield* Effect.promise(() => running.line("said "))
  const said = JSON.parse(line.slice("said ".length)) as Said
  return { ...said, outcomes: outcomesOf(said.printed) }
})

/** Attempts that every isolation with namespaces refuses. */
export const attempts = (folder: string): ReadonlyArray<Attempt> => [
  ["secret", "read", join(folder, "secret.txt")],
  ["write", "write", join(folder, "hostile")],
  ["gateway", "kill", process.pid],
  ["outside", "connect", "192.0.2.1", 80],
  ["root", "become_root"],
  ["mount", "mount"],
  ["device", "hold", "device"],
  ...hiddenPowers
]

/** A process of an ordinary user. */
export const asOrdinary = [...ordinary, "env", `PATH=${systemPython}`]

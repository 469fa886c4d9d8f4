import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { mkdirSync, readdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { root } from "../support/documents.ts"
import { endWithThis, eventually } from "../support/process.ts"
import { isAlive, temporary } from "../support/process-gateway.ts"

/** Does its work in two processes, and names them. */
const endless = `#!/bin/sh
sleep 600 &
echo > "$PIDS/$!"
echo > "$PIDS/$$"
wait
`

const has = (command: string) => spawnSync(command, ["--version"]).status === 0
const isHere =
  process.platform === "linux" && has("bash") && spawnSync("git", ["log", "-1"], { cwd: root }).status === 0

const stopped = Effect.fnUntraced(function* (script: string, started: number) {
  const folder = yield* temporary
  const [programs, pids] = ["programs", "pids"].map((name) => join(folder, name))
  for (const made of [programs!, pids!]) mkdirSync(made)
  for (const name of ["npm", "apt-get"]) writeFileSync(join(programs!, name), endless, { mode: 0o755 })
  writeFileSync(join(programs!, "id"), "#!/bin/sh\necho 0\n", { mode: 0o755 })
  const gate = spawn("bash", [join(root, script)], {
    env: { ...process.env, PATH: `${programs}:${process.env["PATH"]}`, PIDS: pids, TMPDIR: folder },
    stdio: ["ignore", "pipe", "ignore"]
  })
  endWithThis(gate)
  let said = ""
  gate.stdout.on("data", (chunk: Buffer) => (said += chunk.toString()))
  const named = () => readdirSync(pids!).map(Number)
  yield* Effect.promise(async () => {
    await eventually("the processes", () => named().length === 2 * started)
    const ended = once(gate, "close")
    gate.kill("SIGTERM")
    expect(await ended).toEqual([1, null])
  })
  expect(said.trim().split("\n").at(-1)).toBe("0 passed, 1 failed")
  expect(named().filter(isAlive)).toEqual([])
  expect(readdirSync(folder).sort()).toEqual(["pids", "programs"])
}, Effect.scoped)

it.live.skipIf(!isHere)("the gate ends with all that it has started when it is stopped, and fails then", () =>
  // What it downloads, and the tests.
  stopped(".ci/run", 2)
)

it.live.skipIf(!isHere)("so does its start from a clone", () => stopped(".ci/start-and-stop", 1))

import { cpSync, mkdirSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { expect, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { root } from "../support/documents.ts"
import { exampleConf } from "../support/gateway.ts"
import { eventually } from "../support/process.ts"
import { bridged, type Container, containers, inside, startContainer } from "./Container.ts"
import { postgresCommand } from "./Database.ts"
import { blocks, folderOf } from "./support.ts"

/** The units of the documents, by their files. */
const [template = ""] = blocks("docs/cluster.md", "## systemd", "ini")
const [single = ""] = blocks("docs/operations.md", "### systemd", "ini")
const [common = "", one = "", commands = ""] = blocks("docs/cluster.md", "## systemd", "sh")

/** Settings for systemd in a container, and an empty target, so that no service of the machine is started. */
const systemd = `
mkdir -p /sys/fs/cgroup
mount -t sysfs -o ro sysfs /sys
mount -t cgroup2 cgroup2 /sys/fs/cgroup
exec /lib/systemd/systemd --system --unit=recipe.target --log-target=console --show-status=false
`

/** The order keeps units in memory that have ended, with how they ended. */
const recipeTarget = `[Unit]
Description=Nothing
DefaultDependencies=no
After=flow-gateway@one.service flow-gateway@two.service flow-gateway.service
`

/** A machine with systemd and the documented files, and the database's machine beside it. */
class Machine extends Context.Service<
  Machine,
  {
    readonly machine: Container
    readonly run: (...command: ReadonlyArray<string>) => Promise<string>
    /** Waits until the gateway at this port is ready. */
    readonly ready: (port: number) => Promise<void>
  }
>()("test/recipes/Machine") {
  static readonly layer = Layer.effect(
    Machine,
    Effect.gen(function* () {
      const folder = folderOf("systemd")
      const write = (path: string, text: string) => {
        const file = join(folder, "machine/upper", path)
        mkdirSync(dirname(file), { recursive: true })
        writeFileSync(file, text)
      }
      write("etc/systemd/system/recipe.target", recipeTarget)
      write("etc/systemd/system/flow-gateway@.service", template)
      write("etc/systemd/system/flow-gateway.service", single)
      write("etc/flow-gateway/common.env", common)
      write("etc/flow-gateway/one.env", one)
      write("etc/flow-gateway/two.env", one.replaceAll("424", "425").replace("/one", "/two"))
      for (const conf of ["etc/flow", "srv/flow/conf"]) {
        cpSync(exampleConf, join(folder, "machine/upper", conf), { recursive: true })
      }
      yield* bridged
      const started = yield* containers
      const shared = { hosts: "127.0.0.1 localhost\n", directory: "/" }
      yield* Effect.promise(() =>
        startContainer(
          {
            ...shared,
            name: "postgres",
            folder: join(folder, "postgres"),
            network: { address: "10.0.0.2" },
            mounts: [],
            environment: { POSTGRES_USER: "flow", POSTGRES_PASSWORD: "secret", POSTGRES_DB: "flow" },
            command: postgresCommand(["postgres"])
          },
          started
        )
      )
      const machine = yield* Effect.promise(() =>
        startContainer(
          {
            ...shared,
            name: "machine",
            folder: join(folder, "machine"),
            network: { address: "10.0.0.7" },
            mounts: [{ source: root, target: "/opt/flow-gateway", mode: "ro" }],
            environment: { container: "recipes" },
            command: ["sh", "-ec", systemd]
          },
          started
        )
      )
      const run = (...command: ReadonlyArray<string>) => inside(machine, ...command)
      yield* Effect.promise(() =>
        eventually("systemd answers", () =>
          run("systemctl", "list-units").then(
            () => true,
            () => false
          )
        ).catch((error) => {
          throw new Error(`${error.message}: ${machine.output()}`)
        })
      )
      const ready = (port: number) =>
        eventually(`the gateway at ${port}`, () =>
          run("curl", "-sf", `http://127.0.0.1:${port}/health/ready`).then(
            () => true,
            () => false
          )
        ).catch(async (error) => {
          throw new Error(`${error.message}: ${await run("systemctl", "--no-pager", "status", "flow-gateway*")}`)
        })
      return Machine.of({ machine, run, ready })
    })
  )
}

const shown = (text: string): Record<string, string> =>
  Object.fromEntries(
    text
      .trim()
      .split("\n")
      .map((line) => line.split("=") as [string, string])
  )

const stateOf = (run: Machine["Service"]["run"], unit: string) =>
  run("systemctl", "show", unit, "--property=ActiveState,Result,ExecMainStatus,ExecMainCode,NRestarts,MainPID").then(
    shown
  )

/** A stop that systemd considers successful: the process exited by itself (`CLD_EXITED`, 1) with code 0. */
const stopped = { ActiveState: "inactive", Result: "success", ExecMainCode: "1", ExecMainStatus: "0" }

layer(Machine.layer, { excludeTestServices: true })("the systemd units", (it) => {
  it.effect("of a cluster start with the documented files and commands, and again after a crash", () =>
    Effect.gen(function* () {
      const { run, ready } = yield* Machine
      yield* Effect.promise(async () => {
        await run("sh", "-ec", commands)
        expect(await run("systemd-analyze", "verify", "flow-gateway@one.service")).toBe("")
        await ready(4242)
        await run("systemctl", "start", "flow-gateway@two")
        await ready(4252)
        const { MainPID = "" } = await stateOf(run, "flow-gateway@two")
        expect(await run("ps", "-o", "user=,args=", "-p", MainPID)).toMatch(
          /^flow +\/opt\/flow-gateway\/node_modules\/.bin\/node bin\/flow-gateway.js\n$/
        )
        await run("kill", "-KILL", MainPID)
        await eventually("the restart", async () => (await stateOf(run, "flow-gateway@two"))["NRestarts"] === "1")
        await ready(4252)
        expect(await run("stat", "-c", "%U %a", "/etc/flow-gateway/common.env", "/var/lib/flow-gateway/two")).toBe(
          "root 640\nflow 755\n"
        )
      })
    })
  )

  it.effect("stop with code 0", () =>
    Effect.gen(function* () {
      const { run } = yield* Machine
      yield* Effect.promise(async () => {
        for (const unit of ["flow-gateway@two", "flow-gateway@one"]) {
          await run("systemctl", "stop", unit)
          expect(await stateOf(run, unit)).toMatchObject(stopped)
        }
      })
    })
  )

  it.effect("of one gateway with its own PostgreSQL starts, and stops with code 0 and all its processes", () =>
    Effect.gen(function* () {
      const { run, ready } = yield* Machine
      yield* Effect.promise(async () => {
        expect(await run("systemd-analyze", "verify", "flow-gateway.service")).toBe("")
        await run("systemctl", "enable", "--now", "flow-gateway")
        await ready(4242)
        const ofFlow = () => run("sh", "-c", "ps -u flow -o stat=,args= || true")
        expect(await ofFlow()).toMatch(/postgres -D \/var\/lib\/flow\/postgres\/data/)
        await run("systemctl", "stop", "flow-gateway")
        expect(await stateOf(run, "flow-gateway")).toMatchObject(stopped)
        expect(await ofFlow()).toBe("")
      })
    })
  )
})

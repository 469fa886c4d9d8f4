import { spawn, spawnSync } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { putCluster } from "../support/postgresServer.ts"
import { eventually } from "../support/process.ts"
import { isAlive, postgresOf, site, temporary } from "../support/process-gateway.ts"
import { rawGet } from "../support/socket.ts"

const launcher = fileURLToPath(new URL("../../bin/flow-gateway.js", import.meta.url))
const hasTerminals = spawnSync("script", ["--version"]).status === 0

describe("a gateway that gets a hangup, or a signal that means nothing to it", () => {
  it.live("goes on without a terminal, as under nohup", () =>
    Effect.gen(function* () {
      const here = yield* site()
      yield* Effect.promise(async () => {
        const gateway = await here.start()
        for (let turn = 0; turn < 3; turn++) {
          gateway.process.kill("SIGHUP")
          expect((await rawGet(gateway.port, "/health/ready")).status).toBe(200)
        }
        expect(await gateway.kill("SIGTERM")).toEqual({ code: 0, signal: null })
      })
    }).pipe(Effect.scoped)
  )

  it.live("goes on after signals of tools that rotate logs, and opens no debugger", () =>
    Effect.gen(function* () {
      const here = yield* site()
      yield* Effect.promise(async () => {
        const gateway = await here.start()
        for (const signal of ["SIGUSR1", "SIGUSR2"] as const) {
          gateway.process.kill(signal)
          expect((await rawGet(gateway.port, "/health/ready")).status).toBe(200)
        }
        expect(await gateway.kill("SIGTERM")).toEqual({ code: 0, signal: null })
        expect(gateway.stderr()).not.toContain("Debugger")
      })
    }).pipe(Effect.scoped)
  )

  it.live.runIf(hasTerminals)("stops as it does by SIGTERM when its terminal is closed", () =>
    Effect.gen(function* () {
      const data = yield* temporary
      yield* putCluster(data)
      yield* Effect.promise(async () => {
        const command = `exec '${process.execPath}' '${launcher}'`
        const terminal = spawn("script", ["--quiet", "--flush", "--command", command, "/dev/null"], {
          env: { PATH: process.env["PATH"], HOME: process.env["HOME"], FLOW_DATA: data, FLOW_PORT: "0" },
          stdio: ["pipe", "pipe", "inherit"]
        })
        let said = ""
        terminal.stdout.on("data", (chunk: Buffer) => (said += chunk.toString()))
        await eventually("it is ready", () => said.includes("flow-gateway ready"))
        const holder = join(data, "gateway.lock")
        const { pid } = JSON.parse(readFileSync(holder, "utf8"))
        const all = [pid, ...postgresOf(data)]
        expect(all.length).toBeGreaterThan(1)
        terminal.kill("SIGKILL")
        await eventually("all processes have ended", () => !all.some(isAlive))
        // A gateway that was killed leaves it.
        expect(existsSync(holder)).toBe(false)
      })
    }).pipe(Effect.scoped)
  )
})

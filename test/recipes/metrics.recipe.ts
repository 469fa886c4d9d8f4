import { spawnSync } from "node:child_process"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { configuration } from "../support/conf.ts"
import { eventually } from "../support/process.ts"
import { site } from "../support/process-gateway.ts"
import { formOf, generator, tenantOf } from "../support/runs.ts"

const indexing = generator(5, 1000).replace("type: show", "type: search_output\n    settings: { index: mytenant-used }")

/** Metrics which show that the gateway has been used in each of these ways. */
const used = [
  /^flow_executions_ended_total\{runtime="stream",state="SUCCEEDED"\} [2-9]/m,
  /^flow_executions_ended_total\{runtime="stream",state="FAILED"\} 1/m,
  /^flow_job_running\{.*\} 1/m,
  /^flow_http_request_duration_seconds_count\{.*route="\/v1\/\{tenant\}\/search",status="200"\}/m,
  /^flow_http_request_duration_seconds_count\{.*route="\/v1\/\{tenant\}\/registry",status="200"\}/m,
  /^flow_http_request_duration_seconds_count\{.*route="unknown",status="404"\}/m
]

const promtool = (text: string) => {
  const { status, stdout, stderr } = spawnSync("promtool", ["check", "metrics"], { input: text, encoding: "utf8" })
  return { status, said: stdout + stderr }
}

it.live("promtool has nothing to say about the metrics of a gateway that has been used", () =>
  Effect.gen(function* () {
    const { root, folderOf } = yield* configuration
    const channel = join(folderOf("mytenant"), "channels/main")
    mkdirSync(channel, { recursive: true })
    writeFileSync(join(channel, "channel_structure.yaml"), "jobs: [{ name: good, runtime: stream }]")
    writeFileSync(join(channel, "good.yaml"), generator(undefined, 20))
    const here = yield* site()
    yield* Effect.promise(async () => {
      const gateway = await here.start({ FLOW_CONF: root })
      const tenant = tenantOf(gateway.url)
      const send = (method: string, path: string, init: RequestInit = {}) =>
        fetch(`${gateway.url}/${path}`, { method, ...init }).then(async (answer) => {
          await answer.arrayBuffer()
          return answer.status
        })
      for (const text of [generator(3, 1000), indexing]) {
        expect((await tenant.ended(await tenant.run(text))).state).toBe("SUCCEEDED")
      }
      const missing = generator(3, 1).replace(/settings: .*/, "settings: { path: no.log }")
      const failing = await tenant.run(missing.replaceAll("generator_input", "file_input"))
      expect((await tenant.ended(failing)).state).toBe("FAILED")
      const upload = formOf("some bytes", "a.txt")
      upload.set("path", "a.txt")
      expect(await send("POST", "v1/mytenant/registry", { body: upload })).toBe(200)
      const body = JSON.stringify({ index: "mytenant-used", query: {} })
      const headers = { "content-type": "application/json" }
      expect(await send("POST", "v1/mytenant/search", { body, headers })).toBe(200)
      expect(await send("GET", "no/such/path")).toBe(404)
      expect(await send("POST", "v1/mytenant/channels/main/start")).toBe(201)
      let text = ""
      await eventually("the use is counted", async () => {
        text = await (await fetch(`${gateway.url}/metrics`)).text()
        return used.every((pattern) => pattern.test(text))
      }).catch((error) => {
        throw new Error(`${error.message}: ${used.filter((pattern) => !pattern.test(text)).join(" ")}\n${text}`)
      })
      expect(promtool(text)).toEqual({ status: 0, said: "" })
      // promtool reads its standard input.
      expect(promtool(text.replace(/^# HELP flow_build_info .*\n/m, ""))).toEqual({
        status: 3,
        said: expect.stringContaining("flow_build_info no help text")
      })
    })
  })
)

import { spawnSync } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { configuration } from "../support/conf.ts"
import { fences, read } from "../support/documents.ts"
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

/** Whether an alert of the page fires after ten minutes in which a series was not there, and two with these values. */
const fires = (alert: string, series: string, values: string) => {
  const folder = mkdtempSync(join(tmpdir(), "flow-alerts-"))
  const rules = fences(read("docs/how-to/monitoring.md")).find(({ text }) => text.startsWith("groups:"))
  writeFileSync(join(folder, "rules.yaml"), rules?.text ?? "")
  const expected = { eval_time: "12m", alertname: alert, exp_alerts: [] }
  const test = { interval: "15s", input_series: [{ series, values }], alert_rule_test: [expected] }
  writeFileSync(join(folder, "test.yaml"), JSON.stringify({ rule_files: ["rules.yaml"], tests: [test] }))
  const { stdout, stderr } = spawnSync("promtool", ["test", "rules", join(folder, "test.yaml")], { encoding: "utf8" })
  rmSync(folder, { recursive: true })
  expect(stdout + stderr).toMatch(/SUCCESS|FAILED/)
  return /FAILED/.test(stdout + stderr)
}

it("the alerts of the page fire at the first failure, and not for a fault of a client", () => {
  const requests = (route: string, status: number) =>
    `flow_http_request_duration_seconds_count{method="POST",route="${route}",status="${status}"}`
  expect({
    ended: fires("RunsFail", 'flow_executions_ended_total{runtime="stream",state="FAILED"}', "0x40 1x20"),
    lost: fires("RunsFail", 'flow_executions_ended_total{runtime="stream",state="LOST"}', "0x40 1x20"),
    none: fires("RunsFail", 'flow_executions_ended_total{runtime="stream",state="FAILED"}', "0x60"),
    succeeded: fires("RunsFail", 'flow_executions_ended_total{runtime="stream",state="SUCCEEDED"}', "0x40 1x20"),
    error: fires("ServerErrors", requests("/v1/{tenant}/flowline", 504), "_x40 1x20"),
    another: fires("ServerErrors", requests("/v1/{tenant}/flowline", 504), "3x40 4x20"),
    old: fires("ServerErrors", requests("/v1/{tenant}/flowline", 504), "3x60"),
    pattern: fires("ServerErrors", requests("/v1/flower/{operator}", 500), "_x40 1x20"),
    path: fires("ServerErrors", requests("/v1/{tenant}/registry", 500), "_x40 1x20"),
    missing: fires("ServerErrors", requests("/v1/{tenant}/flowline/{id}", 404), "_x40 1x20")
  }).toEqual({
    ended: true,
    lost: true,
    none: false,
    succeeded: false,
    error: true,
    another: true,
    old: false,
    pattern: false,
    path: false,
    missing: false
  })
})

import { existsSync, mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { configuration } from "../support/conf.ts"
import { freshDatabase } from "../support/postgres.ts"
import { eventually } from "../support/process.ts"
import { site } from "../support/process-gateway.ts"
import { tenantOf } from "../support/runs.ts"
import { databaseText, folderText, leaks, processText, receiver, ref, writeKeys } from "./support.ts"

/** With characters that change when it is written as JSON or in a URL. */
const token = 'k3y/"Tok+en" ümläut-of-the-collector'
const password = "correct horse & battery"

/** It writes a secret in many ways, and a program that it starts writes it in two pieces. */
const python = `
import base64, json, os, subprocess, time, urllib.parse
from flow import Node


class Teller(Node):
    password: str
    folder: str

    def execute(self, rows):
        value = self.password
        print("plain", value)
        print(json.dumps({"a": value}), json.dumps(json.dumps({"a": value})))
        print(base64.b64encode(("user:" + value).encode()).decode(), urllib.parse.quote(value), urllib.parse.quote_plus(value))
        for at in range(0, len(value), 7):
            print(value[at:at + 7])
        subprocess.run(["sh", "-c", "printf 'a program: %s' \\"$1\\"; printf '%s' \\"$2\\"", "sh", value[:9], value[9:]], env={})
        open(os.path.join(self.folder, "started"), "w").close()
        while not os.path.exists(os.path.join(self.folder, "go")):
            time.sleep(0.01)
        for row in rows:
            yield row
        raise ValueError("cannot log in with " + value)
`

const telling = (folder: string) => `
runtime: pybatch
dag:
  - { type: file_input, settings: { path: rows.csv }, publish: [ { stream: out } ] }
  - { type: teller, settings: { password: "${ref("PASSWORD")}", folder: "${folder}" }, subscribe: [ { component: file_input, stream: out } ], publish: [ { stream: out } ] }
  - { type: show, subscribe: [ { component: teller, stream: out } ] }
`

const sending = (url: string) => `
runtime: stream
dag:
  - { type: generator_input, settings: { messages: [ "${ref("PASSWORD")} in a record" ], count: 3, rate: 1000 }, publish: [ { stream: out } ] }
  - { type: show, subscribe: [ { component: generator_input, stream: out } ] }
  - type: http_output
    settings:
      url: ${url}/hook
      batch_records: 10
      headers: { Authorization: "Bearer ${ref("TOKEN")}", X-Basic: '${ref("PASSWORD")}', X-Text: "$${ref("TOKEN")}" }
    subscribe: [ { component: generator_input, stream: out } ]
`

describe("a secret", () => {
  it.live("is where a run sends it, and in nothing that the gateway stores, prints or answers", () =>
    Effect.gen(function* () {
      const conf = yield* configuration
      const { url, received, hold } = yield* receiver
      const database = Redacted.value(yield* freshDatabase)
      const here = yield* site()
      const secrets = join(here.data, "..", `${here.data.split("/").at(-1)}-secrets`)
      yield* Effect.acquireRelease(
        Effect.sync(() => mkdirSync(join(secrets, "mytenant"), { recursive: true })),
        () => Effect.promise(() => import("node:fs/promises").then(({ rm }) => rm(secrets, { recursive: true })))
      )
      writeFileSync(join(secrets, "mytenant", "PASSWORD"), `${password}\n`, { mode: 0o600 })
      const keys = writeKeys(join(secrets, "keys"), ["first"])
      mkdirSync(join(conf.folderOf("mytenant"), "nodes"))
      writeFileSync(join(conf.folderOf("mytenant"), "nodes", "teller.py"), python)
      writeFileSync(join(conf.folderOf("mytenant"), "rows.csv"), "a,b\n1,2\n")
      yield* Effect.promise(async () => {
        const gateway = await here.start({
          FLOW_CONF: conf.root,
          FLOW_DATABASE_URL: database,
          FLOW_SECRETS: secrets,
          FLOW_SECRETS_KEY_FILE: keys,
          FLOW_OUTBOUND_ALLOW: "127.0.0.1",
          // The Python node waits for files of this test, which an isolated one cannot see.
          FLOW_ISOLATION: "off",
          FLOW_LOG: "debug"
        })
        const tenant = tenantOf(gateway.url)
        const put = await fetch(`${gateway.url}/v1/mytenant/secrets/TOKEN`, {
          method: "PUT",
          headers: { "content-type": "application/json", "idempotency-key": "a-key" },
          body: JSON.stringify({ value: token })
        })
        expect(put.status).toBe(204)
        const release = hold()
        const saved = await tenant.save(sending(url))
        const id = await tenant.execute(saved.id)
        await eventually("the request", () => received.length > 0)
        const texts = new Map(processText(gateway.pid))
        expect([...texts.keys()].filter((name) => name.startsWith("environ")).length).toBeGreaterThan(1)
        release()
        expect(await tenant.ended(id)).toMatchObject({ state: "SUCCEEDED" })
        const [request] = received
        expect(Buffer.from(request?.headers["authorization"] ?? "", "latin1").toString()).toBe(`Bearer ${token}`)
        expect(request?.headers["x-basic"]).toBe(password)
        expect(request?.headers["x-text"]).toBe(ref("TOKEN"))
        expect(request?.body).toContain(`${password} in a record`)

        const answers = [
          "secrets",
          `flowline/${saved.id}`,
          "flowline",
          "flowline/executions",
          `flowline/executions/${id}`,
          `flowline/executions/${id}/output`,
          `flowline/executions/${id}/events`
        ]
        for (const path of answers) texts.set(path, await (await fetch(`${gateway.url}/v1/mytenant/${path}`)).text())
        expect(texts.get(`flowline/executions/${id}/output`)).toContain('{\\"message\\":\\"*** in a record\\"}')
        expect(texts.get(`flowline/${saved.id}`)).toContain(ref("TOKEN"))
        expect(JSON.parse(texts.get("secrets")!)).toEqual([
          { name: "PASSWORD", source: "folder" },
          { name: "TOKEN", source: "store", keyId: "first", setBy: expect.any(String), updatedAt: expect.any(String) }
        ])
        for (const path of ["metrics", "health/ready", "openapi.json"])
          texts.set(path, await (await fetch(`${gateway.url}/${path}`)).text())
        const failed = await fetch(`${gateway.url}/v1/mytenant/secrets/TOKEN`, {
          method: "PUT",
          body: JSON.stringify({ value: [token], tokn: token }),
          headers: { "content-type": "application/json" }
        })
        texts.set("refusal", `${failed.status} ${await failed.text()}`)
        expect(texts.get("refusal")).toMatch(/^400 /)
        const wrong = await tenant.run(sending(`http://${ref("TOKEN")}`))
        expect(await tenant.ended(wrong)).toMatchObject({ state: "FAILED" })
        texts.set("failure", JSON.stringify(await tenant.detail(wrong)))
        const told = await tenant.run(telling(secrets))
        await eventually("the Python node", () => existsSync(join(secrets, "started")))
        const processes = processText(gateway.pid)
        expect([...processes.keys()].some((name) => /^environ .*python/.test(name))).toBe(true)
        for (const [name, text] of processes) texts.set(`${name} in Python`, text)
        writeFileSync(join(secrets, "go"), "")
        const end = await tenant.ended(told)
        expect(end).toMatchObject({ state: "FAILED", error: expect.stringContaining("cannot log in with ***") })
        texts.set("python", JSON.stringify(end))
        const output = await tenant.get<ReadonlyArray<{ text: string }>>(`flowline/executions/${told}/output`)
        texts.set("output of python", JSON.stringify(output))
        await gateway.kill("SIGTERM")
        texts.set("stdout", gateway.stdout())
        texts.set("stderr", gateway.stderr())
        for (const [name, text] of folderText(here.data)) texts.set(name, text)
        for (const [name, text] of await Effect.runPromise(databaseText(database))) texts.set(name, text)
        expect(texts.get("table secrets")).toContain("TOKEN")
        expect(leaks(texts, [token, password])).toEqual([])
      })
    })
  )
})

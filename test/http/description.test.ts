import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { dirname, join } from "node:path"
import { expect, it, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { writeKeys } from "../secrets/support.ts"
import { expectDeclared, holdToDescription } from "../support/answers.ts"
import { child, document, resolved, validator } from "../support/described.ts"
import { ended, exampleConf, gateway, raw, TestGateway, temporaryFolder } from "../support/gateway.ts"
import { type DescribedOperation, formOf, operations } from "../support/operations.ts"

/** The operations that take a request header, and those that answer with a status or a response header. */
const namesWhere = (holds: (operation: DescribedOperation) => boolean): ReadonlyArray<string> =>
  operations.filter(holds).map(({ id }) => id)

it("every operation says which credentials it asks for; a webhook comes with none but its token", () => {
  const schemes = { basic: "http", bearer: "http", key: "apiKey" }
  const types = Object.entries(document.components.securitySchemes).map(([name, { type }]) => [name, type])
  expect(Object.fromEntries(types)).toEqual(schemes)
  const any = Object.keys(schemes).map((name) => ({ [name]: [] }))
  for (const { id, operation } of operations) {
    expect([id, operation.security]).toEqual([id, id.startsWith("hooks.") ? [] : any])
  }
  expect(namesWhere(({ id }) => id.startsWith("hooks."))).toHaveLength(1)
})

it("every operation, parameter and schema is described, and has an example that is valid", () => {
  const faults: Array<string> = []
  const invalid = (pointer: string, value: unknown) => {
    const check = validator(pointer)
    if (!check(value)) faults.push(`${pointer}: ${JSON.stringify(check.errors)}`)
  }
  for (const { id, pointer, operation } of operations) {
    const { summary, description, parameters, requestBody } = operation
    if ((summary ?? "") === "" || (description ?? "") === "") faults.push(`${id} has no summary or description`)
    for (const [index, { name, description, example }] of parameters.entries()) {
      if ((description ?? "") === "") faults.push(`${id}: ${name} has no description`)
      if (example !== undefined) invalid(child(resolved(child(pointer, "parameters", index)), "schema"), example)
      else if (!["cursor", "id", "from"].includes(name)) faults.push(`${id}: ${name} has no example`)
    }
    for (const [type, { example }] of Object.entries(requestBody?.content ?? {})) {
      if (example === undefined) faults.push(`${id}: the body has no example`)
      else invalid(child(pointer, "requestBody", "content", type, "schema"), example)
    }
  }
  for (const [name, schema] of Object.entries(document.components.schemas)) {
    const [example] = (schema["examples"] ?? []) as ReadonlyArray<unknown>
    if (schema["description"] === undefined || example === undefined)
      faults.push(`${name} has no description or example`)
    else invalid(child("/components/schemas", name), example)
    if (/Encoded$|_\d+$/.test(name)) faults.push(`${name} is a name of the generator's`)
  }
  expect(faults).toEqual([])
  expect(operations.length).toBeGreaterThan(55)
})

it("headers, statuses and ranges are where they are understood", () => {
  const takes = (name: string) => namesWhere(({ operation }) => operation.parameters.some((one) => one.name === name))
  const answers = (status: number) => namesWhere(({ operation }) => operation.responses[status] !== undefined)
  const downloads = [
    "archives.download",
    "conf.read",
    "documentation.index",
    "documentation.page",
    "files.read",
    "flowlines.file",
    "registry.download",
    "resources.download",
    "stored.content"
  ]
  expect([...takes("Range")].sort()).toEqual(downloads)
  expect([...answers(206)].sort()).toEqual(downloads)
  expect([...answers(416)].sort()).toEqual(downloads)
  expect(answers(304)).toEqual(expect.arrayContaining(downloads))
  expect([...takes("Idempotency-Key")].sort()).toEqual([
    "channels.act",
    "channels.actOnJob",
    "executions.again",
    "extraction.extract",
    "flowlines.execute",
    "flowlines.executeOnce",
    "flowlines.restore",
    "flowlines.save",
    "hooks.fire",
    "registry.create",
    "resources.upload",
    "schedules.run",
    "stored.copy",
    "stored.move",
    "stored.register"
  ])
  expect([...takes("Last-Event-ID")].sort()).toEqual(["channels.output", "executions.events", "executions.output"])
  expect(takes("If-Match")).toEqual(expect.arrayContaining(["flowlines.save", "registry.create", ...downloads]))
  expect(answers(405)).toEqual(operations.map(({ id }) => id))
  const limits = operations.flatMap(({ operation }) => operation.parameters.filter(({ name }) => name === "limit"))
  for (const { schema } of limits) expect(schema).toEqual({ type: "integer", minimum: 1, maximum: 10_000 })
  expect(limits.length).toBe(14)
  expect(document.servers).toEqual([{ url: "/", description: expect.any(String) as string }])
  const { version } = JSON.parse(readFileSync("package.json", "utf8")) as { readonly version: string }
  expect(document.info.version).toBe(version)
})

it("an answer that is not as declared is noticed", async () => {
  const answers: Record<string, readonly [status: number, headers: Record<string, string>, body: string]> = {
    "/v1/platform/tenant": [202, { "content-type": "application/json" }, "{}"],
    "/v1/mytenant/archives": [200, { "content-type": "text/plain" }, "none"],
    "/v1/mytenant/indices": [200, { "content-type": "application/json" }, '[{"name":1}]'],
    "/v1/mytenant/conf/a": [304, { etag: "unquoted", "cache-control": "no-cache", "accept-ranges": "bytes" }, ""],
    "/v1/mytenant/conf/b": [206, { "content-type": "text/plain" }, "a"]
  }
  const server = createServer((request, response) => {
    const [status, headers, body] = answers[request.url ?? ""]!
    response.writeHead(status, headers).end(body)
  })
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  holdToDescription(url)
  const noticed = async (path: string) => {
    await (await fetch(url + path)).text()
    return expectDeclared().then(
      () => "nothing",
      (error: Error) => error.message
    )
  }
  expect(await noticed("/v1/platform/tenant")).toContain("the status is not declared")
  expect(await noticed("/v1/mytenant/archives")).toContain("text/plain is not declared")
  expect(await noticed("/v1/mytenant/indices")).toContain("data/0/name must be string")
  expect(await noticed("/v1/mytenant/conf/a")).toContain("ETag: unquoted: data must match pattern")
  expect(await noticed("/v1/mytenant/conf/b")).toContain("the header Content-Range is missing")
  await new Promise((done) => server.close(done))
})

/** Its secrets need a key, and its channels a separate folder. */
const withKeys = Layer.unwrap(
  Effect.map(temporaryFolder, (folder) => {
    // Channels are written into the configuration.
    const conf = join(folder, "conf")
    cpSync(exampleConf, conf, { recursive: true })
    return gateway({ conf, secrets: { folder: undefined, keyFile: writeKeys(join(folder, "keys"), ["first"]) } })
  })
)

layer(withKeys, { excludeTestServices: true })("the description", (it) => {
  it.effect("is served as it is", () =>
    Effect.gen(function* () {
      const answer = yield* raw("/openapi.json")
      expect(answer.headers.get("content-type")).toBe("application/json")
      expect(yield* Effect.promise(() => answer.json())).toEqual(JSON.parse(JSON.stringify(document)))
      const page = yield* raw("/docs")
      expect(yield* Effect.promise(() => page.text())).toContain(document.servers?.[0]?.description)
    })
  )

  it.effect("means the digits of a number when it says integer", () =>
    Effect.gen(function* () {
      for (const text of ["1e3", "0x10", "1.0", "+1", " 1", "NaN", ""]) {
        const answer = yield* raw(`/v1/mytenant/archives?limit=${encodeURIComponent(text)}`)
        expect([text, answer.status]).toEqual([text, 400])
      }
      expect((yield* raw("/v1/mytenant/archives?limit=10")).status).toBe(200)
    })
  )

  it.effect("has examples that work when they are copied", () =>
    Effect.gen(function* () {
      const { settings } = yield* TestGateway
      for (const path of ["lists/blocked.csv", "out/access.csv"]) {
        const file = join(settings.data, "blobs/mytenant/data", path)
        mkdirSync(dirname(file), { recursive: true })
        writeFileSync(file, "203.0.113.9\n")
      }
      /** The ids of created objects, in place of the example's. */
      const made = new Map<string, string>()
      /** The id of a flowline in examples of bodies. */
      const unsaved = "4kQz0vWbT1mXr8sYh2Lc"
      const send = Effect.fnUntraced(function* (id: string) {
        const { path, method, operation } = operations.find((one) => one.id === id)!
        const value = (name: string, example: unknown) => made.get(`${id}.${name}`) ?? String(example)
        let url = path
        const query = new URLSearchParams()
        for (const { name, in: where, example } of operation.parameters) {
          if (where === "path") url = url.replace(`{${name}}`, encodeURIComponent(value(name, example)))
          if (where === "query" && example !== undefined) query.set(name, String(example))
        }
        const body = operation.requestBody?.content
        const json = body?.["application/json"]?.example
        const form = body?.["multipart/form-data"]?.example
        const init =
          json === undefined
            ? form === undefined
              ? {}
              : { body: formOf(form as Record<string, string>) }
            : {
                headers: { "content-type": "application/json" },
                body: JSON.stringify(json).replaceAll(unsaved, made.get("flowlines.get.id") ?? unsaved)
              }
        const answer = yield* raw(`${url}?${query}`, { method, ...init })
        const text = yield* Effect.promise(() => answer.text())
        expect([id, answer.status, answer.status < 300 ? "" : text]).toEqual([id, expect.any(Number), ""])
        return text
      })
      const idOf = (text: string) => (JSON.parse(text) as { readonly id: string }).id
      const flowline = idOf(yield* send("flowlines.save"))
      const ofFlowline = ["get", "execute", "remove", "versions", "version", "file", "diff", "restore"]
      for (const name of ofFlowline) made.set(`flowlines.${name}.id`, flowline)
      made.set("executions.listOf.id", flowline)
      const execution = idOf(yield* send("flowlines.execute"))
      for (const name of ["events", "output", "again", "remove"]) made.set(`executions.${name}.id`, execution)
      made.set("executions.detail.flowlineId", flowline)
      made.set("keys.revoke.id", idOf(yield* send("keys.create")))
      made.set("executions.detail.executionId", execution)
      yield* ended("mytenant", flowline, execution)
      // Operations that read and remove come after those that create.
      const first = ["resources.upload", "registry.create", "stored.register", "stored.copy"]
      for (const name of ["put", "backfill", "cancelBackfill"]) first.push(`schedules.${name}`)
      // An archive needs a run that makes one, an index one that writes it, and to cancel it must still run.
      const others = [
        /^archives\.(download|remove)$/,
        /^search\.removeIndex$/,
        // A webhook needs its token, and the example has another trigger.
        /^(hooks\.fire|schedules\.newToken)$/,
        /^executions\.cancel$/,
        /^stored\.move$/
      ]
      const rest = operations
        .filter(({ id }) => !first.includes(id) && id !== "flowlines.save" && id !== "flowlines.execute")
        .filter(({ id }) => !others.some((other) => other.test(id)) && !id.startsWith("channels.act"))
        .sort((a, b) => Number(a.method === "DELETE") - Number(b.method === "DELETE"))
      yield* Effect.forEach([...first, ...rest.map(({ id }) => id)], send)
    })
  )
})

import { chmodSync, mkdirSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { runFile } from "../support/process.ts"
import { temporaryIn } from "../support/process-gateway.ts"
import { refusalOf } from "./settings.ts"

type Case = readonly [variables: Readonly<Record<string, string>>, said: RegExp | ""]

/**
 * Variables with which a gateway starts, unless a case overrides them. The user of the last test may lack access to
 * root's temporary folder.
 */
const home = Effect.map(temporaryIn(process.getuid?.() === 0 ? "/tmp" : tmpdir()), (folder) => {
  chmodSync(folder, 0o777)
  mkdirSync(join(folder, "conf"))
  chmodSync(join(folder, "conf"), 0o755)
  return { folder, base: { FLOW_DATA: join(folder, "data"), FLOW_CONF: join(folder, "conf") } }
})

/** Root may write everywhere, so the message for root is that the folder itself is unsuitable. */
const inProc = (setting: string, folder: string): RegExp =>
  process.getuid?.() === 0
    ? new RegExp(`^${setting}: .*${folder} cannot be made in /proc: choose another`)
    : new RegExp(`^${setting}: user \\d+ may not write in /proc: allow it there, or choose another folder$`)

const check = (variables: Case[0], said: Case[1], reason: string | undefined) => {
  const label = JSON.stringify(variables)
  if (said === "") expect([label, reason]).toEqual([label, ""])
  else expect([label, reason]).toEqual([label, expect.stringMatching(said)])
  expect(reason).not.toMatch(/secret-word|\n/)
}

const checkAll = (base: Case[0], cases: ReadonlyArray<Case>) =>
  Effect.promise(async () => {
    for (const [variables, said] of cases) check(variables, said, await refusalOf({ ...base, ...variables }))
  })

describe("settings", () => {
  it.live("that the gateway cannot work with are refused in one line that names them", () =>
    Effect.gen(function* () {
      const { folder, base } = yield* home
      const file = join(folder, "file")
      writeFileSync(file, "")
      const faulty = join(folder, "faulty.yaml")
      writeFileSync(faulty, "users:\n  a:\n    password: secret-word\n    roles: {}\nusrs: {}\n")
      const sound = join(folder, "sound.yaml")
      writeFileSync(sound, "tenants: { mytenant: {} }\n")
      yield* checkAll(base, [
        [{}, ""],
        [{ FLOW_PORT: "abc" }, /^FLOW_PORT: /],
        [{ FLOW_PORT: "70000" }, /^FLOW_PORT: /],
        [{ FLOW_HOST: "0.0.0.0" }, /^FLOW_HOST: .*loopback/],
        [{ FLOW_HOST: "127.0.0.1.evil.example" }, /^FLOW_HOST: /],
        [{ FLOW_HOST: "0.0.0.0", FLOW_INSECURE: "1" }, ""],
        [{ FLOW_INSECURE: "yes" }, /^FLOW_INSECURE: /],
        [{ FLOW_AUTH: "/etc/auth.yaml" }, /^FLOW_AUTH: \/etc\/auth.yaml: there is no such file$/],
        [{ FLOW_AUTH: folder }, /^FLOW_AUTH: .*: expected a file$/],
        [{ FLOW_AUTH: "/dev/zero" }, /^FLOW_AUTH: \/dev\/zero: expected a file$/],
        [{ FLOW_AUTH: join(file, "below") }, /^FLOW_AUTH: .*: there is no such file$/],
        [
          { FLOW_AUTH: faulty },
          /^FLOW_AUTH: .*faulty.yaml: 3:15 users\.a\.password: Expected a hash .*; 5:1 usrs: .*"users"/
        ],
        [{ FLOW_AUTH: sound, FLOW_HOST: "0.0.0.0" }, ""],
        [{ FLOW_AUTH: "none", FLOW_HOST: "0.0.0.0" }, /^FLOW_HOST: .*FLOW_AUTH, or FLOW_INSECURE=1$/],
        [{ FLOW_LOG: "loud" }, /^FLOW_LOG: /],
        [{ FLOW_TENANT: "../x" }, /^FLOW_TENANT: /],
        [{ FLOW_BLOBS: "s3://bucket/prefix?region=eu-west-1" }, /^FLOW_BLOBS: .*AWS_ACCESS_KEY_ID/],
        [{ FLOW_BLOBS: "s3://key:secret-word@bucket/prefix?port=1" }, /^FLOW_BLOBS: .*endpoint/],
        [{ FLOW_BLOBS: "file://elsewhere/blobs" }, /^FLOW_BLOBS: /],
        [{ FLOW_BLOBS: file }, /^FLOW_BLOBS: .*\/file is not a folder: choose another/],
        [{ FLOW_BLOBS: `file://${join(file, "below")}` }, /^FLOW_BLOBS: .*\/file is not a folder: choose another/],
        [{ FLOW_BLOBS: "/proc/blobs" }, inProc("FLOW_BLOBS", "/proc/blobs")],
        [{ FLOW_OUTBOUND_ALLOW: "localhost:9000, 10.0.0.0/8,[fd00::1]:443,fd00::/8,192.168.1.1,a-b.example.com" }, ""],
        ...["http://a", "10.0.0.0/33", "a:0", "a:70000", "127.1", "fd00::1]:80", "a b", "*"].map(
          (entry): Case => [{ FLOW_OUTBOUND_ALLOW: `a.example,${entry}` }, /^FLOW_OUTBOUND_ALLOW: ".*" is no host, /]
        ),
        [{ FLOW_CORS: "https://app.example.com, http://localhost:3000" }, ""],
        ...["app.example.com", "https://app.example.com/", "HTTPS://a.example", "https://a.example:443", "file://"].map(
          (entry): Case => [{ FLOW_CORS: `https://a.example,${entry}` }, /^FLOW_CORS: ".*" is not an origin; expected/]
        ),
        [{ FLOW_CORS: "https://app.example.com/x" }, /^FLOW_CORS: .* as in https:\/\/app\.example\.com$/],
        ...["*", "null"].map((entry): Case => [{ FLOW_CORS: entry }, /^FLOW_CORS: ".*" would let any page use/]),
        [{ FLOW_ENVIRONMENT: "production-2.eu" }, ""],
        ...["a b", "../x", "-a", "ä"].map(
          (name): Case => [{ FLOW_ENVIRONMENT: name }, /^FLOW_ENVIRONMENT: ".*" is not a name of letters/]
        ),
        [{ FLOW_OTLP: "https://receiver.example/otlp" }, ""],
        ...[
          "not an address",
          "localhost:4318",
          "grpc://localhost:4317",
          "http://name:secret-word@localhost:4318",
          "http://localhost:4318?key=secret-word"
        ].map((address): Case => [{ FLOW_OTLP: address }, /^FLOW_OTLP: expected an http: or https: URL/]),
        [{ FLOW_CONF: join(folder, "nowhere") }, /^FLOW_CONF: there is no folder .*\/nowhere: make it/],
        [{ FLOW_CONF: file }, /^FLOW_CONF: .*\/file is not a folder/],
        [{ FLOW_CONF: join(file, "below") }, /^FLOW_CONF: .*\/file is not a folder/],
        [{ FLOW_DATABASE_URL: "mysql://a/b" }, /^FLOW_DATABASE_URL: .*postgres:\/\//],
        [{ FLOW_DATABASE_URL: "postgres://flow:secret-word@host:port/x" }, /^FLOW_DATABASE_URL: /],
        [{ FLOW_DATA: file }, /^FLOW_DATA: .*\/file is not a folder/],
        [{ FLOW_DATA: join(file, "below") }, /^FLOW_DATA: .*\/file is not a folder: choose another/],
        [{ FLOW_DATA: "/proc/x" }, inProc("FLOW_DATA", "/proc/x")]
      ])
    })
  )

  it.live("that do not exist are refused with what was meant", () =>
    Effect.gen(function* () {
      const { base } = yield* home
      yield* checkAll(base, [
        [{ FLOW_DATE: "/data" }, /^FLOW_DATE: unknown setting; did you mean "FLOW_DATA"\?$/],
        [{ FLOW_ENVIROMENT: "test" }, /did you mean "FLOW_ENVIRONMENT"/],
        [{ FLOW_TENANTRUNS: "1" }, /did you mean "FLOW_TENANT_RUNS"/],
        [{ FLOW_DATABASE: "x", FLOW_PROT: "1" }, /^FLOW_DATABASE: .*\?; FLOW_PROT: .*"FLOW_PORT"\?$/],
        [{ FLOW_A_1: "1" }, /^FLOW_A_1: /],
        [{ FLOW_: "1" }, /^FLOW_: /],
        [{ FLOW_SOMETHING_ELSE: "1" }, /^FLOW_SOMETHING_ELSE: unknown setting; docs\/settings.md lists all settings$/],
        [{ FLOW_DATE: "", WORKFLOW_DATE: "1", FLOWER: "1" }, ""]
      ])
    })
  )

  it.live("are not what Kubernetes says of a service", () =>
    Effect.gen(function* () {
      const { base } = yield* home
      const link = { FLOW_GATEWAY_PORT: "tcp://10.0.0.7:4242", FLOW_GATEWAY_PORT_4242_TCP_ADDR: "10.0.0.7" }
      yield* checkAll(base, [
        [{ ...link, FLOW_GATEWAY_SERVICE_HOST: "10.0.0.7", FLOW_GATEWAY_SERVICE_PORT_HTTP: "4242" }, ""],
        [link, /^FLOW_GATEWAY_PORT/]
      ])
    })
  )

  it.live("that name folders say what their user may not do there", () =>
    Effect.gen(function* () {
      const { folder, base } = yield* home
      const closed = (name: string, mode: number) => {
        mkdirSync(join(folder, name, "below"), { recursive: true })
        chmodSync(join(folder, name), mode)
        return join(folder, name)
      }
      const readable = closed("readable", 0o555)
      const shut = closed("shut", 0o600)
      const unlisted = closed("unlisted", 0o311)
      const secret = join(folder, "secret.yaml")
      writeFileSync(secret, "{}")
      chmodSync(secret, 0o600)
      const cases: ReadonlyArray<Case> = [
        [{}, ""],
        // Root owns it, when root runs the tests.
        ...(process.getuid?.() === 0
          ? [[{ FLOW_AUTH: secret }, /^FLOW_AUTH: \S+\/secret.yaml: the gateway's user may not read it$/] as const]
          : []),
        [{ FLOW_DATA: readable }, /^FLOW_DATA: user \d+ may not write in \S+\/readable: allow it there, or choose/],
        [{ FLOW_DATA: join(readable, "a/b") }, /^FLOW_DATA: user \d+ may not write in \S+\/readable: /],
        [{ FLOW_DATA: join(shut, "below") }, /^FLOW_DATA: user \d+ may not pass \S+\/shut: allow it there, or choose/],
        [{ FLOW_BLOBS: readable }, /^FLOW_BLOBS: user \d+ may not write in \S+\/readable: /],
        [{ FLOW_BLOBS: join(readable, "a") }, /^FLOW_BLOBS: user \d+ may not write in \S+\/readable: /],
        [{ FLOW_BLOBS: join(shut, "below") }, /^FLOW_BLOBS: user \d+ may not pass \S+\/shut: /],
        [{ FLOW_CONF: unlisted }, /^FLOW_CONF: user \d+ may not list \S+\/unlisted: /],
        [{ FLOW_CONF: join(shut, "below") }, /^FLOW_CONF: user \d+ may not pass \S+\/shut: /]
      ]
      const given = cases.map(([variables]) => JSON.stringify({ ...base, ...variables }))
      const program = runFile(new URL("settings.ts", import.meta.url), given)
      yield* Effect.promise(() => program.exit)
      for (const name of [readable, shut, unlisted]) chmodSync(name, 0o755)
      for (const [at, [variables, said]] of cases.entries()) {
        check(variables, said, program.lines[at]?.replace(/^said /, ""))
      }
    })
  )
})

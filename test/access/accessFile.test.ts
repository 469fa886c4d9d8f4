import { describe, expect, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import { readAccessFile } from "../../src/services/access/AccessFileReader.ts"
import { read } from "../support/documents.ts"

const hash = "$argon2id$v=19$m=65536,t=3,p=1$c2FsdHNhbHRzYWx0c2FsdA$aGFzaGhhc2hoYXNoaGFzaGhhc2hoYXNoaGFzaGhhc2g"

const readText = (text: string, name = "access.yaml") => readAccessFile({ name, bytes: new TextEncoder().encode(text) })

const faultsOf = (text: string): ReadonlyArray<string> => {
  const result = readText(text)
  return Result.isFailure(result) ? result.failure : []
}

/** A file with one value in the place of the password of a user. */
const withPassword = (value: string) => `users:\n  alice:\n    password: ${value}\n    roles: { "*": viewer }\n`

describe("an access file", () => {
  it("of the documents is valid", () => {
    const [, example = ""] = /```yaml\n(users:[^`]*)```/.exec(read("docs/authentication.md")) ?? []
    expect(faultsOf(example)).toEqual([])
    expect(example).toContain("tenants:")
  })

  it("may be YAML, JSON, empty of users, and have users without a role", () => {
    expect(faultsOf("{}")).toEqual([])
    expect(faultsOf(`users: { alice: { password: "${hash}", roles: {} } }`)).toEqual([])
    expect(Result.isSuccess(readText(`{ "tenants": { "a": {} } }`, "access.json"))).toBe(true)
  })

  it("tells all its faults at once, with line and column and what is meant", () => {
    const text = `users:
  alice:
    password: hunter2
    pasword: hunter2
    roles: { one: viwer, "a b": viewer, two: admin, "*": 3 }
  bob: hunter2
  "a:b": { password: "${hash}", roles: {} }
  __proto__: { password: "${hash}", roles: {} }
tenants:
  one: { suspendd: true }
  bad name: {}
issuers:
  - issuer: https://id.example.com
    audience: flow
    roles: [{ claim: a, value: b, tenant: On, role: admn }]
usrs: {}
`
    expect(faultsOf(text).map((fault) => fault.replace(/(hash-password` prints it).*/, "$1"))).toEqual([
      "3:15 users.alice.password: Expected a hash as `flow-gateway hash-password` prints it",
      '4:5 users.alice.pasword: There is no "pasword" here; did you mean "password"?',
      '5:19 users.alice.roles.one: There is no such role: there is viewer, operator, developer, admin; did you mean "viewer"?',
      '5:26 users.alice.roles.a b: Expected a tenant name: at most 63 letters, digits, ".", "_" and "-", or "*" for all tenants',
      '5:41 users.alice.roles.two: There is no "two" in `tenants`: there is one, bad name',
      '5:58 users.alice.roles.*: Expected "viewer" | "operator" | "developer" | "admin"',
      "6:8 users.bob: Expected object",
      "7:3 users.a:b: A user's name has 1 to 128 characters, no colon and no control characters",
      "8:3 users.__proto__: A user's name has 1 to 128 characters, no colon and no control characters",
      '10:10 tenants.one.suspendd: There is no "suspendd" here; did you mean "suspended"?',
      '11:3 tenants.bad name: Expected a tenant name: at most 63 letters, digits, ".", "_" and "-"',
      '15:43 issuers.0.roles.0.tenant: There is no "On" in `tenants`; did you mean "one"?',
      '15:53 issuers.0.roles.0.role: There is no such role: there is viewer, operator, developer, admin; did you mean "admin"?',
      '16:1 usrs: There is no "usrs" here; did you mean "users"?'
    ])
  })

  it("refuses issuers that could let others make tokens, or cannot be asked", () => {
    const text = `issuers:
  - { issuer: login.example.com, audience: flow, jwksUri: "file:///keys", roles: [] }
  - { issuer: https://id.example.com, audience: flow, algorithms: [RS256, HS256, none], clockSkew: 301, roles: [] }
`
    expect(faultsOf(text).map((fault) => fault.slice(0, 60))).toEqual([
      expect.stringMatching(/^2:15 issuers\.0\.issuer: Expected a URL/),
      expect.stringMatching(/^2:59 issuers\.0\.jwksUri: Expected a URL/),
      expect.stringMatching(/^3:75 issuers\.1\.algorithms\.1: Expected "RS256"/),
      expect.stringMatching(/^3:82 issuers\.1\.algorithms\.2: Expected "RS256"/),
      expect.stringMatching(/^3:100 issuers\.1\.clockSkew: Expected a value between 0 and 30/)
    ])
  })

  it("with a hash in { } that is not quoted says so, and repeats no piece of it", () => {
    const faults = faultsOf(`users: { alice: { password: ${hash}, roles: {} } }`)
    expect(faults.join("\n")).toMatch(/^1:\d+ users.alice.…: There is no such member here: put the hash into quotes/m)
    expect(faults.join("\n")).not.toMatch(/65536|c2Fs|aGFz/)
  })

  it("refuses hashes of other kinds, and costs that are too low or too high", () => {
    const faults = (change: (hash: string) => string) =>
      faultsOf(withPassword(change(hash))).map((fault) => fault.replace(/^3:15 users.alice.password: /, ""))
    expect(faults((text) => text)).toEqual([])
    const kind = [expect.stringMatching(/^Expected a hash as `flow-gateway hash-password` prints it/)]
    for (const wrong of ["argon2i$", "argon2d$", "2b$"]) {
      expect(faults((text) => text.replace("argon2id$", wrong))).toEqual(kind)
    }
    expect(faults((text) => text.replace("v=19", "v=16"))).toEqual(kind)
    expect(faults((text) => text.slice(0, -43))).toEqual(kind)
    const cases = [
      ["m=65536", "m=7167", "Expected memory (m) between 7168 and 1048576 KiB, found 7167"],
      ["m=65536", "m=1048577", "Expected memory (m) between 7168 and 1048576 KiB, found 1048577"],
      ["t=3", "t=0", "Expected passes (t) between 1 and 10, found 0"],
      ["t=3", "t=11", "Expected passes (t) between 1 and 10, found 11"],
      ["p=1", "p=17", "Expected lanes (p) between 1 and 16, found 17"],
      ["$c2FsdHNhbHRzYWx0c2FsdA$", "$c2FsdA$", "Expected a salt between 8 and 64 bytes, found 4"],
      ["$aGFzaGhhc2hoYXNoaGFzaGhhc2hoYXNoaGFzaGhhc2g", "$aGFzaA", "Expected a hash between 16 and 64 bytes, found 4"]
    ] as const
    for (const [from, to, detail] of cases) expect(faults((text) => text.replace(from, to))).toEqual([detail])
  })

  const secret = "hunter2geheim"
  // YAML reads each of them in another way, and no message may repeat it.
  const spellings = [
    secret,
    `"${secret}`,
    `"${secret}" x`,
    `'${secret}' "${secret}"`,
    `*${secret}`,
    `&${secret}`,
    `!${secret} x`,
    `!!${secret} x`,
    `%${secret}`,
    `@${secret}`,
    `|9${secret}\n x`,
    `>${secret}\n  x`,
    `[${secret}`,
    `{ ${secret}`,
    `{ ${secret}: ${secret} }`,
    `a: ${secret}`,
    `"\\${secret}"`,
    `? ${secret}`,
    `- ${secret}`,
    `$argon2id$${secret}`,
    `${hash} ${secret}`
  ]

  it.prop(
    "never repeats a value, however wrong the file is",
    {
      spelling: Schema.Literals(spellings),
      place: Schema.Literals(["password: ?", "roles: ?", "roles: { a: ? }", "?", "pasword: ?", "password: 1\n?"]),
      before: Schema.Literals(["", "%YAML 1.2\n---\n", "a: b: c\n", "tenants: { a: { secrets: { X: ? } } }\n"])
    },
    ({ spelling, place, before }) => {
      const text = `${before}users:\n  alice:\n    ${place}\n`.replaceAll("?", spelling)
      const faults = faultsOf(text)
      expect(faults).not.toEqual([])
      // An unknown name is repeated, because nobody could find it otherwise: the text before a colon is a name.
      const names = faults.filter((fault) => !/There is no "/.test(fault) && !/^\d+:\d+ [\w.]*hunter/.test(fault))
      expect([text, names.join("\n")]).toEqual([text, expect.not.stringContaining("hunter2")])
    },
    { arbitrary: { runs: 500 } }
  )
})

import { describe, expect, it } from "vitest"
import { sqlInput } from "../../src/nodes/inputs/SqlInput.ts"
import { sqlOutput } from "../../src/nodes/outputs/SqlOutput.ts"
import { databasePlace } from "../../src/nodes/ports/Databases.ts"
import { issues } from "./one.ts"

const secret = `\${secret:WORD}`

describe("the address of a database", () => {
  it("is read with its parts, and refused with the reason", () => {
    const place = { host: "db", port: 5432, database: "shop", user: undefined, password: undefined, tls: "verify-full" }
    expect(databasePlace("postgres://db/shop")).toEqual(place)
    expect(databasePlace("postgresql://a%40b:p%2Fw@[::1]:6000/s%20p?sslmode=require")).toEqual({
      host: "::1",
      port: 6000,
      database: "s p",
      user: "a@b",
      password: "p/w",
      tls: "require"
    })
    for (const [url, reason] of [
      ["http://db/shop", "Expected postgres://"],
      ["postgres:///shop", "no host"],
      ["postgres://%2Fvar%2Frun/shop", "no host"],
      ["postgres://db", "no database"],
      ["postgres://db/a/b", "no database"],
      ["postgres://db/a?host=/var/run", 'Only sslmode can follow the "?", not "host"'],
      ["postgres://db/a?sslmode=prefer", "sslmode is one of disable, require, verify-full"]
    ] as const) {
      expect(databasePlace(url)).toContain(reason)
    }
  })

  it("holds no password that everybody can read", () => {
    const given = { query: "SELECT 1 AS a" }
    expect(issues(sqlInput, { ...given, url: "postgres://u:word@db/shop" })).toEqual(["url"])
    expect(issues(sqlInput, { ...given, url: `postgres://u:${secret}@db/shop` })).toEqual([])
    expect(issues(sqlInput, { ...given, url: secret })).toEqual([])
    expect(issues(sqlInput, { ...given, url: "postgres://u@db/shop", password: "word" })).toEqual(["password"])
    expect(issues(sqlInput, { ...given, url: "postgres://u@db/shop", password: secret })).toEqual([])
  })

  it("comes with settings that fit together", () => {
    const url = "postgres://db/shop"
    expect(issues(sqlInput, { url, query: "", every: "0s", incremental: [] })).toEqual([
      "query",
      "incremental/0",
      "every"
    ])
    expect(issues(sqlOutput, { url, table: "a\u0000", key: [], batch_records: 0 })).toEqual([
      "table",
      "key/0",
      "batch_records"
    ])
    expect(issues(sqlOutput, { url, table: "t", conflict: "update" })).toEqual(["conflict"])
    expect(issues(sqlOutput, { url, table: "t", conflict: "ignore" })).toEqual([])
    expect(issues(sqlOutput, { url, table: "t", columns: { a: "b" }, key: ["a", "c"] })).toEqual(["key/1"])
  })
})

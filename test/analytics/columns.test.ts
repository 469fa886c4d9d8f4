import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import { DuckDBInstance } from "@duckdb/node-api"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { sqlFindings } from "../../src/layers/decoder/Statements.ts"
import { needsOf, outline } from "../../src/services/flowlines/validation/Outline.ts"

const root = mkdtempSync(join(tmpdir(), "flow-columns-"))
const conf = join(root, "tenants", "acme")

beforeAll(async () => {
  mkdirSync(join(conf, "more"), { recursive: true })
  writeFileSync(join(conf, "a.csv"), '\ufeffid,"full, name",Amount\r\n1,x,2\r\n')
  writeFileSync(join(conf, "b.csv.gz"), gzipSync("id,city\n1,Oslo\n"))
  writeFileSync(join(conf, "twice.csv"), "a,A,\n1,2,3\n")
  writeFileSync(join(conf, "a.log"), "hello\n")
  writeFileSync(join(conf, "a.ndjson"), '{"a":1}\n')
  writeFileSync(join(conf, "bad.parquet"), "PAR1 and no more")
  writeFileSync(join(conf, "more", "1.csv"), "id,one\n1,2\n")
  writeFileSync(join(conf, "more", "2.csv"), "id,two\n1,2\n")
  const connection = await (await DuckDBInstance.create(":memory:")).connect()
  await connection.run(`COPY (SELECT 1 AS id, {'inner': 2} AS nested) TO '${join(conf, "p.parquet")}' (FORMAT parquet)`)
  connection.closeSync()
})
afterAll(() => rmSync(root, { recursive: true, force: true }))

const stream = { publish: [{ stream: "s" }] }
const from = (component: string) => ({ subscribe: [{ component, stream: "s" }] })
const sql = (component: string, statement: string, input = "in") => ({
  type: "sql",
  component,
  settings: { statement },
  ...from(input),
  ...stream
})
const rows = { type: "dataset_generator", settings: { rows: [{ id: 1, name: "x" }, { seen: null }] } }
const file = (path: string) => ({ type: "file_input", settings: { path } })

const faults = async (input: object, ...nodes: ReadonlyArray<object>) => {
  const value = { runtime: "analytics", dag: [{ component: "in", ...stream, ...input }, ...nodes] }
  const { findings: found } = await sqlFindings(needsOf(outline(value)).sql, conf)
  return found.map(
    ({ path, detail, inside }) => `${String(path[1])} ${inside?.line}:${inside?.column} ${detail.split("!")[0]}`
  )
}

describe("the columns of a statement", () => {
  it("are looked up in the rows of the settings", async () => {
    expect(await faults(rows, sql("q", 'SELECT id, name, seen FROM "in"'))).toEqual([])
    expect(await faults(rows, sql("q", 'SELECT id,\n  nmae FROM "in"'))).toEqual([
      '1 2:3 SQL: Referenced column "nmae" not found in FROM clause'
    ])
    expect(await faults(rows, sql("q", 'SELECT x.é FROM "in" x'))).toEqual([
      '1 1:8 SQL: Values list "x" does not have a column named "é"'
    ])
  })

  it("are looked up in the heads of files", async () => {
    const select = (path: string, columns: string) => faults(file(path), sql("q", `SELECT ${columns} FROM "in"`))
    expect(await select("a.csv", 'id, "full, name", amount')).toEqual([])
    expect(await select("a.csv", "city")).toHaveLength(1)
    expect(await select("b.csv.gz", "city")).toEqual([])
    expect(await select("b.csv.gz", "amount")).toHaveLength(1)
    expect(await select("more/*.csv", "id, one, two")).toEqual([])
    expect(await select("more/*.csv", "three")).toHaveLength(1)
    expect(await select("a.log", "message")).toEqual([])
    expect(await select("a.log", "line")).toHaveLength(1)
    expect(await select("p.parquet", "id, nested.inner")).toEqual([])
    expect(await select("p.parquet", "id, outer")).toHaveLength(1)
  })

  it("are left alone where they are not known for sure", async () => {
    for (const path of ["twice.csv", "a.ndjson", "bad.parquet", "missing.csv", "*.csv", "../../secret.csv"]) {
      expect([path, await faults(file(path), sql("q", 'SELECT what FROM "in"'))]).toEqual([path, []])
    }
    const other = { type: "dataset_generator", settings: { rows: [] } }
    expect(await faults(other, sql("q", 'SELECT what FROM "in"'))).toEqual([])
    const stored = { type: "file_input", settings: { registry: "a.csv" } }
    expect(await faults(stored, sql("q", 'SELECT what FROM "in"'))).toEqual([])
  })

  it("are those of the queries before, and faults do not spread", async () => {
    const one = sql("one", 'SELECT id AS key, count(*) AS n FROM "in" GROUP BY ALL')
    expect(
      await faults(
        rows,
        one,
        sql("two", "SELECT sum(n) AS all FROM one", "one"),
        sql("three", 'SELECT "all" FROM two', "two")
      )
    ).toEqual([])
    const found = await faults(
      rows,
      one,
      sql("two", "SELECT id FROM one", "one"),
      sql("three", "SELECT x FROM two", "two")
    )
    expect(found).toEqual(['2 1:8 SQL: Referenced column "id" not found in FROM clause'])
    const circle = [sql("a", "SELECT x FROM b", "b"), sql("b", "SELECT x FROM a", "a")]
    expect(await faults(rows, ...circle)).toEqual([])
  })

  it("may be used in any way: types are not known before a run", async () => {
    const statement = `SELECT sum(id), avg(id), strftime(seen, '%Y'), date_trunc('day', seen), name[1], name.x, unnest(seen),
      upper(name) || 'x', seen - INTERVAL 1 DAY, id % 3, list_sum(seen), CASE WHEN id > 1 THEN 'a' ELSE name END
      FROM "in" GROUP BY ALL`
    expect(await faults(rows, sql("q", statement))).toEqual([])
    expect(await faults(rows, sql("q", 'SELECT no_such(id) FROM "in"'))).toHaveLength(1)
    expect(await faults(rows, sql("q", 'SELECT * EXCLUDE (x) FROM "in"'))).toHaveLength(1)
    expect(await faults(rows, sql("q", "SELECT COLUMNS('^i') FROM \"in\" WHERE true;  -- done"))).toEqual([])
  })
})

import { expect, it } from "@effect/vitest"
import { table } from "../../src/Http.ts"
import { knownPaths, pathOf } from "../../src/layers/http/routes/Paths.ts"

it("a path means the same whether it is remembered or not, however many others were asked for meanwhile", () => {
  const known = knownPaths(table)
  const long = `/v1/mytenant/conf/${"x".repeat(300)}`
  const expected = new Map([
    ["/v1/mytenant/flowline/a%2Fb", { template: "/v1/{tenant}/flowline/{id}", tenant: "mytenant" }],
    ["/v1/platform/tenant", { template: "/v1/platform/tenant", tenant: undefined }],
    ["/v1/mytenant/conf/flowlines/a;b/x.yaml", { template: "/v1/{tenant}/conf/{path}", tenant: "mytenant" }],
    [long, { template: "/v1/{tenant}/conf/{path}", tenant: "mytenant" }],
    ['/no"where', { template: "unknown", tenant: undefined }]
  ])
  for (let round = 0; round < 5000; round++) {
    known(`/v1/t${round}/flowline/f${round}`)
    if (round % 700 !== 0) continue
    for (const [path, { template, tenant }] of expected) {
      const found = known(path)
      expect(found.template).toBe(template)
      expect(JSON.parse(`{${found.members}}`)).toEqual(tenant === undefined ? { path } : { path, tenant })
    }
  }
})

it("a path ends where the query begins", () => {
  expect([undefined, "", "/a", "/a?", "/a?b=/c?d"].map(pathOf)).toEqual(["/", "", "/a", "/a", "/a"])
})

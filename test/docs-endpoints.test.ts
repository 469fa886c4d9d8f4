import { describe, expect, it } from "@effect/vitest"
import { HttpApi } from "effect/http-api"
import { Api } from "../src/Api.ts"
import { read, section } from "./support/documents.ts"
import { operations } from "./support/operations.ts"

describe("the list of endpoints", () => {
  it("lists every endpoint, and no other", () => {
    const served = new Set<string>()
    HttpApi.reflect(Api, {
      onGroup: () => {},
      onEndpoint: ({ endpoint }) => {
        served.add(`${endpoint.method} ${endpoint.path.replace(/:(\w+)/g, "{$1}")}`)
      }
    })
    const [first] = read("docs/endpoints.md").split("\n## ")
    const table = [...first!.matchAll(/^\| [\d+]+ \| `([^`]+)`/gm)].map(([, request]) => request)
    expect(new Set(table)).toEqual(served)
    expect(table).toHaveLength(served.size)
  })
})

it("the page of endpoints has every status of success that its rule does not give", () => {
  const odd = operations.flatMap(({ method, path, operation }) => {
    // A part of a file is no success of another kind.
    const statuses = Object.keys(operation.responses).filter((status) => /^2/.test(status) && status !== "206")
    const isUsual = statuses.join() === (method === "DELETE" ? "204" : "200")
    return isUsual ? [] : [[`${method} ${path}`, statuses.sort().join()] as const]
  })
  const listed = section(read("docs/endpoints.md"), "## Statuses of success")
    .matchAll(/^\| (20\d[^|]*) \| ([^|]+) \|$/gm)
    .flatMap(([, statuses, requests]) =>
      [...requests!.matchAll(/`([^`]+)`/g)].map(([, request]) => [request!, statuses!.match(/20\d/g)!.sort().join()])
    )
  expect(Object.fromEntries(listed)).toEqual(Object.fromEntries(odd))
})

describe("the client's page", () => {
  it("lists every method, and no other", () => {
    const methods: Array<string> = []
    HttpApi.reflect(Api, {
      onGroup: () => {},
      onEndpoint: ({ group, endpoint }) => {
        methods.push(`${group.identifier}.${endpoint.identifier}`)
      }
    })
    const rows = read("docs/client.md").matchAll(/^\| `(\w+)` \| ((?:`\w+`(?:, )?)+) \|$/gm)
    const listed = [...rows].flatMap(([, group, names]) =>
      [...names!.matchAll(/`(\w+)`/g)].map(([, name]) => `${group}.${name}`)
    )
    expect(listed.sort()).toEqual(methods.sort())
  })
})

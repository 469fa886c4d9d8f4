import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { OpenApi } from "effect/http-api"
import { Api } from "../../src/Api.ts"
import { gateway, raw } from "../support/gateway.ts"

interface Parameter {
  readonly method: string
  readonly path: string
  readonly name: string
  readonly others: ReadonlyArray<string>
}

/** Every query parameter of every endpoint. */
const parameters = Object.entries(OpenApi.fromApi(Api).paths).flatMap(([path, methods]) =>
  (["get", "put", "post", "delete"] as const).flatMap((method): ReadonlyArray<Parameter> => {
    const names = (methods[method]?.parameters ?? [])
      .filter((parameter) => parameter.in === "query")
      .map(({ name }) => name)
    return names.map((name) => ({
      method: method.toUpperCase(),
      path: path.replace("{tenant}", "mytenant").replace(/\{\w+\}/g, "x"),
      name,
      others: names.filter((other) => other !== name && /^(group|artifact)$/.test(other))
    }))
  })
)

const values = ["%00", "a%00b", "9".repeat(30), "2147483648"]

layer(gateway(), { excludeTestServices: true })("no value of a query parameter", (it) => {
  it.effect("is an error of the server", () =>
    Effect.gen(function* () {
      expect(parameters.length).toBeGreaterThan(30)
      yield* Effect.forEach(
        parameters.flatMap((parameter) => values.map((value) => ({ ...parameter, value }))),
        Effect.fnUntraced(function* ({ method, path, name, others, value }) {
          const query = [`${name}=${value}`, ...others.map((other) => `${other}=a`)].join("&")
          const answer = yield* raw(`${path}?${query}`, { method })
          const text = yield* Effect.promise(() => answer.text())
          expect([method, path, query, answer.status, answer.status < 500 ? "" : text]).toEqual([
            method,
            path,
            query,
            expect.toSatisfy((status: number) => status < 500),
            ""
          ])
          if (value.includes("%00") && answer.status === 400) expect(JSON.parse(text)["issues"]).not.toEqual([])
        }),
        { concurrency: 4 }
      )
    })
  )
})

import { describe, expect, it } from "@effect/vitest"
import { Result } from "effect"
import { decode } from "./read.ts"

const faultsOf = (text: string) => {
  const decoded = decode({ name: "flowline.yaml", bytes: new TextEncoder().encode(text) })
  return Result.isFailure(decoded) ? decoded.failure : []
}

describe("a flowline with faults of every kind", () => {
  it("is told all of them: an unknown setting hides no bad pattern, an unknown node no unreachable one", () => {
    const faults = faultsOf(`runtime: stream
dag:
  - type: generator_input
    component: in
    settings: { messages: [a] }
    publish: [ { stream: out } ]
  - type: grok
    component: parse
    settings:
      colour: red
      patterns:
        - "%{WORD:a}"
        - "x %{NOPE:b}"
    subscribe: [ { component: in, stream: out } ]
    publish: [ { stream: out } ]
  - type: shwo
    subscribe: [ { component: parse, stream: missing } ]
  - type: filter
    component: lost
    settings: { where: "a ==" }
    publish: [ { stream: out } ]
`)
    const at = (pointer: string) => faults.find((fault) => fault.pointer === pointer)
    expect(at("/dag/1/settings/colour")).toMatchObject({ line: 10, column: 7 })
    expect(at("/dag/1/settings/patterns/1")).toMatchObject({ line: 13, column: 14 })
    expect(at("/dag/2/type")).toMatchObject({ line: 16, column: 11 })
    expect(faults.some(({ pointer }) => pointer?.startsWith("/dag/2/subscribe/0"))).toBe(true)
    expect(at("/dag/3/settings/where")).toMatchObject({ line: 20 })
    expect(faults.some(({ pointer, detail }) => pointer?.startsWith("/dag/3") && /input|subscri/i.test(detail))).toBe(
      true
    )
  })

  it("is told which nodes no input reaches", () => {
    const faults = faultsOf(`runtime: stream
dag:
  - { type: generator_input, component: in, settings: { messages: [a] }, publish: [ { stream: out } ] }
  - { type: show, component: shown, subscribe: [ { component: in, stream: out } ] }
  - { type: filter, component: x, settings: { where: "true" }, subscribe: [ { component: y, stream: o } ], publish: [ { stream: o } ] }
  - { type: filter, component: y, settings: { where: "true" }, subscribe: [ { component: x, stream: o } ], publish: [ { stream: o } ] }
  - { type: show, component: never, subscribe: [ { component: x, stream: o } ] }
`)
    expect(faults.map(({ detail }) => detail).join("\n")).toMatch(/x.*y|y.*x/)
    expect(faults.some(({ pointer }) => pointer?.startsWith("/dag/4"))).toBe(true)
  })
})

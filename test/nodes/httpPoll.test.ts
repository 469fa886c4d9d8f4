import { describe, expect, it } from "vitest"
import { httpPollInput } from "../../src/nodes/inputs/HttpPollInput.ts"
import { issues as found } from "../flowlines/read.ts"
import { issues } from "./one.ts"

const url = "https://api.example.com/a"

describe("http_poll_input", () => {
  it("takes one way to the next page, with what belongs to it", () => {
    for (const [settings, paths] of [
      [{ pages: { next: "link" } }, []],
      [{ pages: { cursor: "/next", parameter: "c" } }, []],
      [{ pages: { page: "p", first_page: 0, size: 5, size_parameter: "n" } }, []],
      [{ pages: {} }, ["pages"]],
      [{ pages: { next: "link", page: "p" } }, ["pages"]],
      [{ pages: { cursor: "/next" } }, ["pages"]],
      [{ pages: { next: "/a", size: 5 } }, ["pages/size"]],
      [{ pages: { offset: "o", size_parameter: "n" } }, ["pages"]],
      [{ pages: { next: "nowhere" } }, ["pages/next"]],
      [{ format: "csv", records: "/a", pages: { next: "/a" } }, ["records", "pages"]],
      [{ records: "data.items" }, ["records"]]
    ] as const) {
      expect([settings, issues(httpPollInput, { url, ...settings })]).toEqual([settings, paths])
    }
    expect(issues(httpPollInput, { url: "ftp://a/b", max_pages: 0 })).toEqual(["url", "max_pages"])
  })

  it("is what is meant by other names, and by settings of the listener", () => {
    const flowline = (type: string, settings: object) =>
      JSON.stringify({ runtime: "stream", dag: [{ type, settings, publish: [{ stream: "out" }] }] })
    const details = (type: string, settings: object) => found(flowline(type, settings)).map(({ detail }) => detail)
    expect(details("http_get", { url }).join()).toContain(
      'There is no node "http_get"; did you mean "http_poll_input"?'
    )
    expect(details("jdbc_input", { url }).join()).toContain('did you mean "sql_input"?')
    expect(details("http_input", { url }).join()).toMatch(/There is no "url" here.*It is a setting of http_poll_input/)
    expect(details("http_poll_input", { url, port: 1 }).join()).toMatch(
      /There is no "port" here.*a setting of http_input/
    )
  })
})

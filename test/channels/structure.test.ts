import { describe, expect, it } from "@effect/vitest"
import { Result } from "effect"
import { readStructure } from "../../src/services/channels/Structure.ts"

const read = (text: string, name = "channel_structure.yaml") =>
  readStructure({ name, bytes: new TextEncoder().encode(text) })

const jobs = (text: string, name?: string) => Result.getOrThrow(read(text, name))

const faults = (text: string) => {
  const result = read(text)
  return Result.isFailure(result) ? result.failure.map(({ pointer, line, detail }) => [pointer, line, detail]) : []
}

describe("a channel's structure", () => {
  it("has defaults for all but name and runtime", () => {
    expect(jobs("applications:\n  - { name: parse, runtime: stream }\n")).toEqual([
      {
        name: "parse",
        runtime: "stream",
        cluster: "local",
        flowline: undefined,
        schedule: undefined,
        restart: { initial: 1000, max: 60_000, perHour: 20 }
      }
    ])
  })

  it("is YAML, HJSON or JSON, with `jobs` for `applications`", () => {
    const text =
      '{"version":"1.0","jobs":[{"name":"a","runtime":"analytics","flowline":"b/c.yaml","schedule":"0 */5 * * * *"}]}'
    for (const name of ["channel_structure.json", "channel_structure.hjson", "channel_structure.yaml"]) {
      const [job] = jobs(text, name)
      expect([job?.flowline, job?.schedule?.minutes.has(5), job?.schedule?.seconds]).toEqual([
        "b/c.yaml",
        true,
        new Set([0])
      ])
    }
  })

  it("reads pauses in their units", () => {
    const text = "jobs: [{ name: a, runtime: stream, restart: { initial: 250ms, max: 2h, perHour: 0 } }]"
    expect(jobs(text)[0]?.restart).toEqual({ initial: 250, max: 7_200_000, perHour: 0 })
  })

  it("tells all that is wrong, each with its place", () => {
    const text = `version: "1.0"
applications:
  - { name: "a/b", runtime: stream }
  - { name: b, runtime: steam, flowline: ../../secret.yaml }
  - { name: c, runtime: analytics, schedule: "*/5 * * * *" }
  - { name: d, runtime: stream, restart: { initial: soon }, extra: 1 }
  - { runtime: stream }
`
    expect(faults(text).map(([pointer, line]) => [pointer, line])).toEqual([
      ["/applications/0/name", 3],
      ["/applications/1/runtime", 4],
      ["/applications/1/flowline", 4],
      ["/applications/2/schedule", 5],
      ["/applications/3/restart/initial", 6],
      ["/applications/3/extra", 6],
      ["/applications/4/name", 7]
    ])
  })

  it("names the member that may be meant, or those that there are, where its name stands", () => {
    const result = read(`version: "1.0"
aplications: []
applications:
  - name: a
    runtime: stream
    restart: { perhour: 1, often: 2 }
`)
    expect(Result.isFailure(result) ? result.failure : []).toEqual([
      {
        pointer: "/aplications",
        line: 2,
        column: 1,
        detail: 'There is no "aplications" here; did you mean "applications"?'
      },
      {
        pointer: "/applications/0/restart/perhour",
        line: 6,
        column: 16,
        detail: 'There is no "perhour" here; did you mean "perHour"?'
      },
      {
        pointer: "/applications/0/restart/often",
        line: 6,
        column: 28,
        detail: 'There is no "often" here: there is initial, max, perHour'
      }
    ])
  })

  it("refuses the same job twice, schedules of streams, both words, and none", () => {
    expect(faults("jobs: [{ name: a, runtime: stream }, { name: a, runtime: stream }]")[0]?.[2]).toContain(
      "Two jobs are named local/a"
    )
    expect(faults("jobs: [{ name: a, runtime: stream, schedule: 0 0 0 * * * }]")[0]?.[0]).toBe("/jobs/0/schedule")
    const two = "jobs: [{ name: a, runtime: stream }]\napplications: [{ name: b, runtime: stream }]"
    for (const text of [two, "version: 1", "jobs: []", "[]", "", "jobs: {", "\u0000"])
      expect(faults(text)).not.toEqual([])
  })

  it("refuses schedules that never come, and takes those that seldom do", () => {
    const scheduled = (cron: string) => faults(`jobs: [{ name: a, runtime: analytics, schedule: "${cron}" }]`)
    for (const cron of ["0 0 0 31 2 *", "0 0 0 30 2 *", "0 0 0 31 4,6,9,11 *", "0 0 0 31 2 */2"]) {
      expect([cron, scheduled(cron)[0]?.slice(0, 2)]).toEqual([cron, ["/jobs/0/schedule", 1]])
    }
    // The 29th of February is found; a weekday besides the day of the month is an alternative.
    for (const cron of ["0 0 0 29 2 *", "0 0 0 31 2 1", "0 0 0 31 */2 *", "0 0 0 30,31 2,3 *", "* * * * * *"]) {
      expect([cron, scheduled(cron)]).toEqual([cron, []])
    }
  })

  it("tells 200 of its faults, and is refused at once when it has very many values", () => {
    const wrong = Array.from({ length: 900 }, (_, n) => `  - { name: j${n}, runtime: stream, colour: red }\n`)
    const found = faults(`applications:\n${wrong.join("")}`)
    expect([found.length, found.at(-1)?.at(-1)]).toEqual([201, "There are 700 more issues"])
    const values = read(`[${"[],".repeat(40_000)}1]`, "channel_structure.json")
    expect(values).toMatchObject({ failure: [{ detail: "The document has more than 40000 values" }] })
  })

  it("takes one name in two clusters", () => {
    const text = "jobs: [{ name: a, runtime: stream }, { name: a, runtime: stream, cluster: other }]"
    expect(jobs(text).map(({ cluster }) => cluster)).toEqual(["local", "other"])
  })
})

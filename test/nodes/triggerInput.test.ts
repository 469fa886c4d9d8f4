import { describe, expect, it } from "@effect/vitest"
import { UnusableTrigger, withTrigger } from "../../src/protocol/Trigger.ts"

const trigger = { schedule: "nightly", kind: "cron", scheduledAt: "2026-01-01T01:30:00.000Z" }

describe("references to what started a run", () => {
  it("are replaced in all texts, a file only as a whole text", () => {
    const settings = {
      path: `\${trigger:file}`,
      query: { range: { "@timestamp": { gte: `\${trigger:scheduledAt}||-1d`, lt: `\${trigger:scheduledAt}` } } },
      list: [`\${other}`, 1, null]
    }
    expect(withTrigger(settings, { ...trigger, kind: "file", file: "in/a $& b.csv" })).toEqual({
      path: "in/a $& b.csv",
      query: { range: { "@timestamp": { gte: `${trigger.scheduledAt}||-1d`, lt: trigger.scheduledAt } } },
      list: [`\${other}`, 1, null]
    })
  })

  it("without a value fail with what is missing", () => {
    const fault = (value: unknown, given?: typeof trigger & { readonly file?: string }) => {
      try {
        return withTrigger(value, given)
      } catch (error) {
        return error instanceof UnusableTrigger ? error.message : error
      }
    }
    expect(fault(`\${trigger:file}`, trigger)).toBe(`\${trigger:file} has no value in an execution of the trigger cron`)
    expect(fault(`\${trigger:scheduledAt}`)).toBe(
      `\${trigger:scheduledAt} has no value: no schedule has started this execution`
    )
    expect(fault(`select * from '\${trigger:file}'`, { ...trigger, file: "a.csv" })).toBe(
      `\${trigger:file} must be the whole text of a setting`
    )
    expect(fault([`\${trigger:fil}`], trigger)).toContain(`\${trigger:fil} has no value`)
  })
})

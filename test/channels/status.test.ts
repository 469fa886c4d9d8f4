import { describe, expect, it } from "@effect/vitest"
import { type JobStatus, statusOf } from "../../src/services/channels/Job.ts"

const of = (...jobs: ReadonlyArray<JobStatus | "-">) =>
  statusOf(jobs.map((status) => (status === "-" ? { status: "STOPPED", desired: false } : { status, desired: true })))

describe("the status of a channel", () => {
  it("is that of its jobs which should run", () => {
    expect(of()).toBe("STOPPED")
    expect(of("-", "-")).toBe("STOPPED")
    expect(of("ACTIVE", "-")).toBe("ACTIVE")
    expect(of("ACTIVE", "FINISHED")).toBe("ACTIVE")
    expect(of("FINISHED", "FINISHED")).toBe("FINISHED")
    expect(of("STARTING", "ACTIVE")).toBe("STARTING")
    expect(of("STARTING", "RESTARTING")).toBe("STARTING")
    expect(of("RESTARTING", "ACTIVE")).toBe("DEGRADED")
    expect(of("FAILED", "ACTIVE", "STARTING")).toBe("DEGRADED")
    expect(of("FAILED", "RESTARTING")).toBe("FAILED")
    expect(of("FAILED", "FINISHED")).toBe("FAILED")
  })

  it("counts what has been told to stop and still runs", () => {
    expect(statusOf([{ status: "ACTIVE", desired: false }])).toBe("ACTIVE")
    // Jobs of a suspended tenant.
    expect(statusOf([{ status: "STOPPED", desired: true }])).toBe("STOPPED")
  })
})

import type { TestProject } from "vitest/node"
import { type Ceph, startCeph } from "./ceph.ts"

declare module "vitest" {
  interface ProvidedContext {
    /** The S3 server that all test files of this run share. */
    ceph: Ceph
  }
}

/** Starts one Ceph for the whole test run, unless `FLOW_TEST_CEPH` describes a running one, as JSON. */
export default async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  const running = process.env["FLOW_TEST_CEPH"]
  if (running !== undefined) {
    project.provide("ceph", JSON.parse(running))
    return undefined
  }
  const { stop, ...ceph } = await startCeph()
  project.provide("ceph", ceph)
  return stop
}

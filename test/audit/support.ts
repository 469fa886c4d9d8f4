import type { NewEntry } from "../../src/services/audit/AuditStore.ts"
import { ChainCheck, type ChainFault, type Head } from "../../src/services/audit/Chain.ts"
import type { AuditEntry } from "../../src/services/audit/Entry.ts"
import { sha256 } from "../memory/Audit.ts"

/** A row of a change, with some members overridden. */
export const entry = (given: Partial<NewEntry> = {}): NewEntry => ({
  principal: "user:alice",
  method: "basic",
  action: "flowlines.save",
  target: "a",
  outcome: "done",
  status: null,
  requestId: "",
  remote: "192.0.2.7",
  before: null,
  after: sha256("a"),
  count: 1,
  ...given
})

/** The fault of a chain whose rows are read in the order of their numbers; `sum` makes hashes. */
export const faultOf = (
  rows: ReadonlyArray<AuditEntry>,
  head: Head | undefined,
  sum: (text: string) => string = sha256
): ChainFault | undefined => {
  const check = new ChainCheck(sum)
  for (const row of rows) {
    const fault = check.next(row)
    if (fault !== undefined) return fault
  }
  return check.end(head)
}

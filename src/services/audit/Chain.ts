import type { AuditEntry } from "./Entry.ts"

/** What stands before the first row of a chain. */
export const origin = "0".repeat(64)

/** The last row of a chain; `seq` is 0 before the first. */
export interface Head {
  readonly seq: number
  readonly hash: string
}

/** The action of the row that stays in place of rows that retention has removed. */
export const retentionAction = "audit.retention"

/**
 * The text that a row's hash covers: a JSON array as RFC 8785 writes it, which for texts, whole numbers and null is what
 * `JSON.stringify` writes. PostgreSQL writes the same one in its function `flow_audit_append`.
 */
export const encodingOf = (row: Omit<AuditEntry, "hash">): string =>
  JSON.stringify([
    row.previous,
    row.tenant,
    row.seq,
    row.time,
    row.principal,
    row.method,
    row.action,
    row.target,
    row.outcome,
    row.status,
    row.requestId,
    row.remote,
    row.before,
    row.after,
    row.count
  ])

/** The first fault of a chain: the number of the row at which it shows, and what is wrong. */
export interface ChainFault {
  readonly seq: number
  readonly detail: string
}

/** Checks the rows of a chain in their order. It remembers a few values only, whatever the length of the chain. */
export class ChainCheck {
  readonly #sha256: (text: string) => string
  #first: Pick<AuditEntry, "seq" | "time" | "previous"> | undefined
  #last: Pick<AuditEntry, "seq" | "time" | "hash"> | undefined
  #removed: Head = { seq: 0, hash: origin }
  #rows = 0

  /** @param sha256 the SHA-256 of a text in UTF-8, in hex */
  constructor(sha256: (text: string) => string) {
    this.#sha256 = sha256
  }

  get rows(): number {
    return this.#rows
  }

  get first(): Pick<AuditEntry, "seq" | "time" | "previous"> | undefined {
    return this.#first
  }

  get last(): Pick<AuditEntry, "seq" | "time" | "hash"> | undefined {
    return this.#last
  }

  /** The fault that the next row shows. */
  next(row: AuditEntry): ChainFault | undefined {
    const { seq } = row
    const expected = this.#last === undefined ? seq : this.#last.seq + 1
    if (seq < 1 || seq !== expected) return { seq: expected, detail: `row ${expected} is missing, ${seq} follows` }
    const previous = this.#last?.hash ?? row.previous
    if (row.previous !== previous) {
      return { seq, detail: `row ${seq} does not follow row ${seq - 1}: its previous hash is another` }
    }
    if (this.#sha256(encodingOf(row)) !== row.hash) return { seq, detail: `row ${seq} was changed: its hash differs` }
    if (row.action === retentionAction) this.#removed = { seq: Number(row.target), hash: row.before ?? "" }
    this.#first ??= { seq, time: row.time, previous: row.previous }
    this.#last = { seq, time: row.time, hash: row.hash }
    this.#rows++
    return undefined
  }

  /** The fault that shows after the last row. `head` is what the table of heads has. */
  end(head: Head | undefined): ChainFault | undefined {
    const last = this.#last ?? { seq: 0, hash: origin }
    const first = this.#first ?? { seq: 1, previous: origin }
    // What retention has removed is named by a row of the chain itself.
    if (first.seq !== this.#removed.seq + 1) {
      const at = Math.min(first.seq - 1, this.#removed.seq + 1)
      return { seq: at, detail: `row ${at} is missing, and the chain does not say that retention removed it` }
    }
    if (first.previous !== this.#removed.hash) {
      return { seq: first.seq, detail: `row ${first.seq} does not follow what was before it` }
    }
    if (head === undefined) return { seq: last.seq, detail: "the chain has no row in the table of heads" }
    if (head.seq > last.seq)
      return { seq: last.seq + 1, detail: `row ${last.seq + 1} is missing: the head is ${head.seq}` }
    if (head.seq !== last.seq || head.hash !== last.hash) {
      return { seq: last.seq, detail: `row ${last.seq} is not the head ${head.seq} with the hash ${head.hash}` }
    }
    return undefined
  }
}

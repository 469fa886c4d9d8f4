/** What the client says of a file: its own words. `filename` is never a path. */
export interface FileSaid {
  readonly filename: string | undefined
  readonly contentType: string
}

/** A part of a form that was read into memory, a file or a text field alike. */
export interface FormPart extends FileSaid {
  readonly bytes: Uint8Array<ArrayBuffer>
}

/** What a part may be: at most `limit` bytes, over which the answer is 413 with `limitName`. */
export interface PartRule {
  readonly limit: number
  readonly limitName: string
  readonly required: boolean
}

export interface PartRules {
  readonly parts: Readonly<Record<string, PartRule>>
  /** How many parts the form may have, named by a rule or not. */
  readonly maxParts?: number
}

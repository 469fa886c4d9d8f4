import type { Issue } from "../../../errors/BadRequest.ts"

/** Whether a content type is that of a form. */
export const isForm = (contentType = ""): boolean => /^multipart\/form-data\s*(;|$)/i.test(contentType)

/** What the client declares about a file. `filename` is never a path. */
export interface DeclaredFile {
  readonly filename: string | undefined
  readonly contentType: string
}

/** A part of a form in memory, whether it was sent as a file or as a text field. */
export interface FormPart extends DeclaredFile {
  readonly bytes: Uint8Array<ArrayBuffer>
}

/** The rule for a part: over `limit` bytes the form is answered 413 with `limitName`. */
export interface PartRule {
  readonly limit: number
  readonly limitName: string
  readonly required: boolean
}

export interface PartRules {
  /**
   * The faults of what the parts contain. Asked when a form is refused for other faults, so that all are told at once;
   * parts may be missing.
   */
  readonly faults?: (parts: ReadonlyMap<string, FormPart>, file: DeclaredFile | undefined) => ReadonlyArray<Issue>
  readonly parts: Readonly<Record<string, PartRule>>
  /** Maximum number of parts, whether a rule names them or not. */
  readonly maxParts?: number
}

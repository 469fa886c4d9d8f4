/** A flowline file as it was sent: YAML, HJSON or JSON, at most 4 MiB. */
export interface FlowlineFile {
  readonly name?: string
  readonly bytes: Uint8Array<ArrayBuffer>
}

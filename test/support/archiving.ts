import { randomBytes } from "node:crypto"

/** A flowline whose archive is the file. */
export const archiving = (file: string) => `
runtime: stream
dag:
  - type: file_input
    settings: { path: ${file} }
    publish: [ { stream: lines } ]
  - type: archive_output
    settings: { entry: copy.ndjson }
    subscribe: [ { component: file_input, stream: lines } ]
`

/** Lines that compression cannot shrink. */
export const noise = (mebibytes: number) =>
  Array.from({ length: mebibytes * 1024 }, () => randomBytes(768).toString("base64")).join("\n")

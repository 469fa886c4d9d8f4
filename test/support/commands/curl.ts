import { readFileSync, writeFileSync } from "node:fs"
import { basename } from "node:path"
import { parseArgs } from "node:util"

// Replaces curl where it is missing: forms, headers, methods, data, ranges, streams, and the status with `-w`.

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    silent: { type: "boolean", short: "s" },
    "no-buffer": { type: "boolean", short: "N" },
    data: { type: "string", short: "d" },
    "data-binary": { type: "string" },
    "dump-header": { type: "string", short: "D" },
    form: { type: "string", short: "F", multiple: true, default: [] },
    header: { type: "string", short: "H", multiple: true, default: [] },
    request: { type: "string", short: "X" },
    output: { type: "string", short: "o" },
    range: { type: "string", short: "r" },
    "write-out": { type: "string", short: "w" }
  }
})

const bodyOf = (fields: ReadonlyArray<string>): FormData | null => {
  if (fields.length === 0) return null
  const form = new FormData()
  for (const field of fields) {
    const [, name = "", value = ""] = /^([^=]+)=(.*)$/s.exec(field) ?? []
    if (!value.startsWith("@")) form.append(name, value)
    else {
      const [path = "", filename = ""] = value.slice(1).split(";filename=")
      form.append(name, new Blob([readFileSync(path === "-" ? 0 : path)]), filename || basename(path))
    }
  }
  return form
}

const dataOf = (value: string): string | Uint8Array<ArrayBuffer> =>
  value.startsWith("@") ? new Uint8Array(readFileSync(value === "@-" ? 0 : value.slice(1))) : value

const data = values["data-binary"] ?? values.data
const body = data === undefined ? bodyOf(values.form) : dataOf(data)
const headers = new Headers(
  values.header.map((header): [string, string] => {
    const [name = "", value = ""] = header.split(": ")
    return [name, value]
  })
)
if (data !== undefined && !headers.has("content-type")) headers.set("content-type", "application/x-www-form-urlencoded")
if (values.range !== undefined) headers.set("range", `bytes=${values.range}`)
const method = values.request ?? (body === null ? "GET" : "POST")
const response = await fetch(positionals[0]!, { method, headers, body })
// As with curl itself, `head` may close the pipe early.
process.stdout.on("error", () => process.exit(23))
if (values["dump-header"] !== undefined) {
  const fields = [...response.headers].map(([name, value]) => `${name}: ${value}\r\n`)
  const head = `HTTP/1.1 ${response.status} ${response.statusText}\r\n${fields.join("")}\r\n`
  if (values["dump-header"] === "-") process.stdout.write(head)
  else writeFileSync(values["dump-header"], head)
}
if (values.output !== undefined) writeFileSync(values.output, Buffer.from(await response.arrayBuffer()))
else for await (const chunk of response.body ?? []) process.stdout.write(chunk)
process.stdout.write((values["write-out"] ?? "").replace("%{http_code}", String(response.status)).replace("\\n", "\n"))

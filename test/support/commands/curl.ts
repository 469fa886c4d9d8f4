import { readFileSync, writeFileSync } from "node:fs"
import { basename } from "node:path"
import { parseArgs } from "node:util"

// Stands in for curl where there is none: forms, headers, methods, streams, and the status with `-w`.

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    silent: { type: "boolean", short: "s" },
    "no-buffer": { type: "boolean", short: "N" },
    form: { type: "string", short: "F", multiple: true, default: [] },
    header: { type: "string", short: "H", multiple: true, default: [] },
    request: { type: "string", short: "X" },
    output: { type: "string", short: "o" },
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

const body = bodyOf(values.form)
const response = await fetch(positionals[0]!, {
  method: values.request ?? (body === null ? "GET" : "POST"),
  headers: values.header.map((header): [string, string] => {
    const [name = "", value = ""] = header.split(": ")
    return [name, value]
  }),
  body
})
// As with curl itself, `head` may have had enough of it.
process.stdout.on("error", () => process.exit(23))
if (values.output !== undefined) writeFileSync(values.output, Buffer.from(await response.arrayBuffer()))
else for await (const chunk of response.body ?? []) process.stdout.write(chunk)
process.stdout.write((values["write-out"] ?? "").replace("%{http_code}", String(response.status)).replace("\\n", "\n"))

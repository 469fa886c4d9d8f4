import { cpSync, mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { packagePath } from "../../src/drivers/Package.ts"
import { temporary } from "../support/process-gateway.ts"

export const tenant = "mytenant"

/** A page that would run code in many ways if any of it entered the document unchanged. */
const hostile = `
<script>globalThis.ran = 1</script>
<img src=x onerror="globalThis.ran = 1"> <svg onload="globalThis.ran = 1"><script>globalThis.ran = 1</script></svg>
<iframe srcdoc="<script>parent.ran = 1</script>"></iframe>
<style>body { display: none }</style>
<p id="main" style="position: fixed; inset: 0" onclick="globalThis.ran = 1">styled</p>
<a href="javascript:globalThis.ran=1">run</a> <a href=" java&#10;script:globalThis.ran=1">split</a>
<a href="data:text/html,<script>opener.ran = 1</script>">data</a>
<form action="javascript:globalThis.ran=1"><button>send</button></form>
<base href="https://example.com/"><meta http-equiv="refresh" content="0; url=https://example.com/">
<math><mi xlink:href="javascript:globalThis.ran=1">x</mi></math>
<template><script>globalThis.ran = 1</script></template>
<p>end of the page</p>
`

/** A configuration folder with pages, files and faults. */
export const configuration = Effect.map(temporary, (folder) => {
  cpSync(packagePath("examples/conf"), folder, { recursive: true })
  const write = (path: string, content: string) => {
    const file = join(folder, "tenants", tenant, path)
    mkdirSync(join(file, ".."), { recursive: true })
    writeFileSync(file, content)
  }
  write("documentation/hostile.md", `# Hostile\n\n${hostile}\n![elsewhere](https://example.com/pixel.png)\n`)
  write(
    "documentation/raw.html",
    `<!doctype html><title>x</title><h1>Raw</h1>${hostile}<a href="patterns">to patterns</a>`
  )
  write(
    "documentation/deep/er/page.md",
    "# Deep page\n\nThe zygomorphic orchid.\n\n[up](../../patterns.md#a) ![p](../../pictures/apache-access.svg)\n"
  )
  write("documentation/long.md", `# Long\n\n${"word ".repeat(60_000)}`)
  write("settings/faulty.yaml", "a: 1\nb: [1, 2\nc: 3\n")
  write("settings/faulty.json", '{\n  "a": 1,\n  "b": }\n')
  write("settings/<img src=x onerror='globalThis.ran=1'>\u202e.json", '{"evil": "<script>globalThis.ran=1</script>"}')
  write("nodes/broken.py", "def broken(:\n")
  return { FLOW_CONF: folder }
})

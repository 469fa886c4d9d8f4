#!/usr/bin/env node
// Starts the gateway. It needs Node 22.19; on an older one it is handed to the Node that comes with the package.
import { spawn } from "node:child_process"
import { createRequire } from "node:module"
import { constants } from "node:os"
import { dirname, join } from "node:path"
import process from "node:process"
import { fileURLToPath } from "node:url"

const main = join(dirname(fileURLToPath(import.meta.url)), "../dist/src/main.js")
const [major, minor] = process.versions.node.split(".").map(Number)

if (major > 22 || (major === 22 && minor >= 19)) {
  await import(main)
} else {
  const node = join(dirname(createRequire(import.meta.url).resolve("node/package.json")), "bin/node")
  const child = spawn(node, [main, ...process.argv.slice(2)], { stdio: "inherit" })
  child.on("error", (error) => {
    console.error(`flow-gateway needs Node 22.19 or newer (this is ${process.versions.node}): ${error.message}`)
    process.exit(1)
  })
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal))
  child.on("exit", (code, signal) => process.exit(code ?? 128 + constants.signals[signal]))
}

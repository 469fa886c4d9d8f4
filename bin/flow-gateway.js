#!/usr/bin/env node
// Starts the gateway, or runs a subcommand for its operator. The gateway needs Node 24.7, the first with Argon2: an older
// Node hands over to the one that comes with the package.
import { spawn } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"
import * as nodeModule from "node:module"
import { constants } from "node:os"
import { dirname, join } from "node:path"
import process from "node:process"
import { isatty } from "node:tty"
import { fileURLToPath, pathToFileURL } from "node:url"

const home = join(dirname(fileURLToPath(import.meta.url)), "..")
const bundles = join(home, "dist/programs")
const [major, minor] = process.versions.node.split(".").map(Number)

// As in src/main.ts: Node's answer to the first is an open debugger, and the second would end the process.
for (const signal of ["SIGUSR1", "SIGUSR2"]) process.on(signal, () => {})

/** The gateway, or what its subcommands run. */
const program = process.argv.length > 2 ? "command" : "main"

/** The program in the newest bundle, or in the sources where there is none of them. */
const entry = (isBundled) => {
  const current = join(bundles, "current")
  if (!isBundled || !existsSync(current)) return join(home, `src/${program}.ts`)
  const bundle = join(bundles, readFileSync(current, "utf8").trim())
  if (process.env.NODE_COMPILE_CACHE === undefined && nodeModule.enableCompileCache !== undefined) {
    const cache = join(bundle, "compiled")
    const { status } = nodeModule.enableCompileCache(cache)
    // The processes of runs use the same one.
    if (status === nodeModule.constants.compileCacheStatus.ENABLED) process.env.NODE_COMPILE_CACHE = cache
  }
  return join(bundle, `${program}.js`)
}

if (major > 24 || (major === 24 && minor >= 7)) {
  // Nothing has been started yet that would have to be stopped.
  const stop = () => process.exit(0)
  // As in src/layers/Hangup.ts: who has no terminal, as under nohup, does not end with one.
  const signals = ["SIGINT", "SIGTERM", ...([0, 1, 2].some((descriptor) => isatty(descriptor)) ? ["SIGHUP"] : [])]
  const stay = () => {}
  process.on("SIGHUP", stay)
  for (const signal of signals) process.on(signal, stop)
  const sources = join(home, "scripts/bundle.ts")
  const isBundled = !existsSync(sources) || (await (await import(pathToFileURL(sources).href)).refreshApart())
  await import(pathToFileURL(entry(isBundled)).href)
  for (const signal of signals) process.off(signal, stop)
  process.off("SIGHUP", stay)
} else {
  const node = join(
    dirname(nodeModule.createRequire(import.meta.url).resolve("node/package.json")),
    "bin/node"
  )
  const child = spawn(node, [fileURLToPath(import.meta.url), ...process.argv.slice(2)], { stdio: "inherit" })
  child.on("error", (error) => {
    console.error(`flow-gateway needs Node 24.7 or newer (this is ${process.versions.node}): ${error.message}`)
    process.exit(1)
  })
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal))
  child.on("exit", (code, signal) => process.exit(code ?? 128 + constants.signals[signal]))
}

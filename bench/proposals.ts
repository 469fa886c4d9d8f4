import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { compile } from "../src/languages/grok/GrokMatcher.ts"
import { propose } from "../src/languages/propose/Propose.ts"

/**
 * Proposals for the logs of Loghub (https://github.com/logpai/loghub): whether one grok pattern matches all lines of a
 * system, and whether its `message` equals Loghub's content, which means that it has split the whole header: `node
 * bench/proposals.ts <folder>`, with `<System>/<System>_2k.log` or `<System>.log` in the folder.
 */

/** The headers as Loghub's parsers split them. The last group is the content. */
const formats: Readonly<Record<string, RegExp>> = {
  Android: /^(\S+) (\S+) +(\S+) +(\S+) (\S+) (\S+?): (.*)$/,
  Apache: /^\[(.*?)\] \[(.*?)\] (.*)$/,
  BGL: /^(\S+) (\S+) (\S+) (\S+) (\S+) (\S+) (\S+) (\S+) (\S+) (.*)$/,
  Hadoop: /^(\S+) (\S+) (\S+) \[(.*?)\] (\S+?): (.*)$/,
  HDFS: /^(\S+) (\S+) (\S+) (\S+) (\S+?): (.*)$/,
  HealthApp: /^(.*?)\|(.*?)\|(.*?)\|(.*)$/,
  HPC: /^(\S+) (\S+) (\S+) (\S+) (\S+) (\S+) (.*)$/,
  Linux: /^(\S+ +\S+ \S+) (\S+) (.+?)(?:\[\d+\])?: (.*)$/,
  Mac: /^(\S+ +\S+ \S+) (\S+) (.+?)\[\d+\](?: \(.*?\))?: (.*)$/,
  OpenSSH: /^(\S+ +\S+ \S+) (\S+) sshd\[(\d+)\]: (.*)$/,
  OpenStack: /^(\S+) (\S+) (\S+) (\S+) (\S+) (\S+) \[(.*?)\] (.*)$/,
  Proxifier: /^\[(.*?)\] (.*?) - (.*)$/,
  Spark: /^(\S+) (\S+) (\S+) (\S+?): (.*)$/,
  Thunderbird: /^(\S+) (\S+) (\S+) (\S+) (\S+ +\S+ \S+) (\S+) (\S+?)(?:\[\d+\])?: (.*)$/,
  Windows: /^(\S+ \S+), (\S+)\s+(\S+)\s+(.*)$/,
  Zookeeper: /^(\S+) (\S+) - (\S+)\s+\[(.*?)\] - (.*)$/
}

const folder = process.argv[2] ?? "."
console.log("system | lines | matched by one proposal | header divided as Loghub does")
let whole = 0
for (const [system, format] of Object.entries(formats)) {
  const path = [join(folder, system, `${system}_2k.log`), join(folder, `${system}.log`)].find(existsSync)
  if (path === undefined) continue
  const lines = readFileSync(path, "utf8")
    .split(/\r?\n/)
    .filter((line) => line.trim() !== "")
  const best = propose(lines).find(({ operator }) => operator === "grok")
  const compiled = best && compile([best.pattern], { bank: "legacy", definitions: {} })
  const divided = lines.filter((line) => {
    const message = compiled?._tag === "Success" ? compiled.success.match(line)?.fields["message"] : undefined
    return typeof message === "string" && message.trim() === format.exec(line)?.at(-1)?.trim()
  })
  if (best?.matched === lines.length) whole++
  console.log(`${system} | ${lines.length} | ${best?.matched ?? 0} | ${divided.length}`)
}
console.log(`all lines matched by one proposal: ${whole} of ${Object.keys(formats).length} systems`)

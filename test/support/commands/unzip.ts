import { readFileSync } from "node:fs"
import { unzip } from "../zip.ts"

// Replaces `unzip -p <archive> <entry>` where it is missing.

const [, archive, wanted] = process.argv.slice(2)
const entry = unzip(readFileSync(archive!)).find(({ name }) => name === wanted)
if (entry === undefined) throw new Error(`${archive} has no ${wanted}`)
process.stdout.write(entry.bytes)

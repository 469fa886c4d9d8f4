import { readFileSync } from "node:fs"
import { unzip } from "../zip.ts"

// Stands in for `unzip -p <archive> <entry>` where there is none.

const [, archive, wanted] = process.argv.slice(2)
const entry = unzip(readFileSync(archive!)).find(({ name }) => name === wanted)
if (entry === undefined) throw new Error(`${archive} has no ${wanted}`)
process.stdout.write(entry.bytes)

/**
 * Makes the log samples of the example tenant: `npx node scripts/samples.ts` writes those that are missing or differ.
 * Everything comes from fixed seeds, so it always makes the same logs.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { gunzipSync, gzipSync } from "node:zlib"
import { accessLog } from "./samples/access.ts"
import { syslogLog } from "./samples/syslog.ts"

/** One generated file. */
export interface Sample {
  /** File name in the samples folder; one that ends in `.gz` is compressed. */
  readonly name: string
  /** The log itself, LF at the end of every line, ASCII. */
  readonly text: string
}

/** The folder of the committed samples. */
export const samplesFolder: string = fileURLToPath(
  new URL("../examples/conf/tenants/mytenant/samples/", import.meta.url)
)

/** All samples, made in memory. */
export const makeSamples = (): ReadonlyArray<Sample> => [
  { name: "access.log.gz", text: accessLog(20260309, 24_000) },
  { name: "access-small.log", text: accessLog(4242, 200) },
  { name: "syslog.log.gz", text: syslogLog(3164, 10_000) },
  { name: "syslog-small.log", text: syslogLog(514, 200) }
]

/**
 * The bytes of a sample's file. The header of RFC 1952 carries no time (Node writes MTIME 0) and, for the same bytes on
 * every system, 255 ("unknown") as the operating system, which zlib would otherwise fill in.
 */
export const sampleBytes = ({ name, text }: Sample): Buffer => {
  if (!name.endsWith(".gz")) return Buffer.from(text)
  const bytes = gzipSync(text, { level: 9 })
  bytes[9] = 255
  return bytes
}

/**
 * Writes the samples into a folder and returns the names written. A file that already holds the same log stays as it
 * is: another version of zlib may find another, equally good compression, which is no reason to change the file.
 */
export const writeSamples = (folder: string, samples: ReadonlyArray<Sample>): ReadonlyArray<string> => {
  mkdirSync(folder, { recursive: true })
  const stale = samples.filter(({ name, text }) => readSample(join(folder, name)) !== text)
  for (const sample of stale) writeFileSync(join(folder, sample.name), sampleBytes(sample))
  return stale.map(({ name }) => name)
}

/** The log in a sample's file, undefined when there is no such file or it is damaged. */
const readSample = (file: string): string | undefined => {
  if (!existsSync(file)) return undefined
  const bytes = readFileSync(file)
  if (!file.endsWith(".gz")) return bytes.toString()
  try {
    return gunzipSync(bytes).toString()
  } catch {
    return undefined
  }
}

if (import.meta.main) {
  const written = writeSamples(samplesFolder, makeSamples())
  process.stdout.write(written.length === 0 ? "all samples are up to date\n" : `wrote ${written.join(", ")}\n`)
}

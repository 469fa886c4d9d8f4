import { SqlFailure } from "../../drivers/duckdb/Database.ts"
import { placeOf } from "../../drivers/duckdb/Statement.ts"
import { messageOf } from "../../languages/ErrorMessage.ts"
import { NodeFailure } from "../stream/NodeFailure.ts"
import { isUnreadable } from "./Sources.ts"

/** The state of the run when a statement failed. */
export interface Scene {
  readonly component: string
  /** The user's statement, and the number of bytes before it in the statement that DuckDB ran. */
  readonly statement?: { readonly text: string; readonly before: number }
  readonly files: ReadonlyArray<{ readonly path: string; readonly name: string; readonly component: string }>
  readonly memoryMib: number
  readonly spillBytes: number
}

/** The file that the message names. */
const fileIn = (message: string, files: Scene["files"]) =>
  files.find(({ path }) => {
    // A digit after the path means another descriptor: /proc/self/fd/1 is not the start of 12.
    const at = message.indexOf(path)
    return at !== -1 && !/[0-9]/.test(message.charAt(at + path.length))
  })

/** The line of the message that contains the error. */
const firstLine = (text: string): string =>
  text
    .split("\n")
    .find((line) => !/^(CSV Error on Line|Original Line)/.test(line))
    ?.trim() ?? ""

/** DuckDB's message about a file in one line: what is wrong and where, without its advice on reader options. */
const ofFile = (message: string, name: string): string => {
  const line = /(?:CSV Error on Line:|in line) (\d+)/.exec(message)?.[1]
  const where = line === undefined ? name : `${name}, line ${line}`
  const size = /Maximum line size of (\d+) bytes/.exec(message)?.[1]
  if (size !== undefined) return `${where}: the row is longer than ${size} bytes`
  const columns = /Expected Number of Columns: (\d+) Found: (\d+)/.exec(message)
  if (columns !== null) return `${where}: the header has ${columns[1]} columns, the row ${columns[2]}`
  const converting = /Error when converting column "(.*)"\. Could not convert string "([\s\S]*?)" to '(.*?)'/.exec(
    message
  )
  if (converting !== null) {
    const [, column, value, type] = converting
    return `${where}: column "${column}" holds ${JSON.stringify(value)}, which is not a ${type} like the values before it`
  }
  // What is said of sniffing includes the encoding.
  if (isUnreadable(message)) return `${name}: the rows do not have the columns of the header`
  if (/unicode|utf-?8/i.test(message)) return `${/^CSV/.test(message) ? where : name}: the text is not UTF-8`
  if (/unterminated quote|quoted value/i.test(message)) return `${where}: a quote is not closed`
  const json = /^Malformed JSON in file ".*", at byte \d+ in line \d+: (.*)/.exec(message)?.[1]
  if (json !== undefined) return `${where}: the line is not JSON (${json.replace(/[. ]+$/, "")})`
  const detail = /^(?:JSON transform error in file ".*?", in line \d+: )?(.*)/.exec(firstLine(message))?.[1] ?? ""
  return `${where}: ${detail}`
}

/** Converts a failure for the user: names the component and the place in its statement, and no path of this machine. */
export const explained = (error: unknown, scene: Scene): unknown => {
  if (error instanceof NodeFailure) return error
  const { component, statement, files } = scene
  if (!(error instanceof SqlFailure)) {
    const detail = messageOf(error)
    return new NodeFailure({ component, detail, cause: error })
  }
  if (error.kind === "Out of Memory") {
    const detail = /max_temp_directory_size|offload/.test(error.message)
      ? `The query needs more than its ${scene.memoryMib} MiB of memory and ${scene.spillBytes} bytes of disk`
      : `The query needs more than the memory limit of ${scene.memoryMib} MiB (memory_mib in the flowline's settings)`
    return new NodeFailure({ component, detail, cause: error })
  }
  const file = fileIn(error.message, files)
  if (file !== undefined && statement?.text.includes(file.path) !== true) {
    const message = error.message.replaceAll(file.path, file.name)
    return new NodeFailure({ component: file.component, detail: ofFile(message, file.name), cause: error })
  }
  if (/expected records/.test(error.message)) {
    return new NodeFailure({ component, detail: "There are no columns, because no record has a member", cause: error })
  }
  const offset = error.offset === undefined || statement === undefined ? -1 : error.offset - statement.before
  const place = offset < 0 || statement === undefined ? undefined : placeOf(statement.text, offset)
  const where = place === undefined ? "" : ` (line ${place.line}, column ${place.column})`
  const said = error.message
    .replaceAll("\n", " ")
    .replace(/ Possible solutions:.*/, "")
    .slice(0, 500)
    .trim()
  return new NodeFailure({ component, detail: `SQL: ${said}${where}`, cause: error })
}

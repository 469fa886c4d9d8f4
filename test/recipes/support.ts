import { execFile } from "node:child_process"
import { mkdirSync } from "node:fs"
import type { IncomingMessage } from "node:http"
import { request } from "node:https"
import { join } from "node:path"
import { promisify } from "node:util"
import { fences, read, section } from "../support/documents.ts"

const folders = process.env["RECIPES_FOLDER"]
if (folders === undefined) throw new Error("Start the recipes with npm run test:recipes")

/** A new folder for a recipe; it goes with the suite. */
export const folderOf = (name: string): string => {
  const folder = join(folders, name)
  mkdirSync(folder, { recursive: true })
  return folder
}

/** The fenced blocks of one language under a heading of a document. */
export const blocks = (document: string, heading: string, language: string): ReadonlyArray<string> => {
  const found = fences(section(read(document), heading)).filter((fence) => fence.language === language)
  if (found.length === 0) throw new Error(`${document} has no ${language} under ${heading}`)
  return found.map(({ text }) => text)
}

/** Runs a document's commands with a shell in a folder, and returns their output. Fails if a command fails. */
export const shell = async (folder: string, commands: string): Promise<string> => {
  const { stdout } = await promisify(execFile)("sh", ["-ec", commands], { cwd: folder })
  return stdout
}

/** A client of the published port, as the operator of the documents. */
export const publicClient = (ca: string | Buffer) => {
  const headers = { authorization: `Basic ${Buffer.from("operator:change-me").toString("base64")}` }
  const begin = (method: string, path: string, more: Record<string, string> = {}) =>
    request({
      ...{ host: "127.0.0.1", port: 443, servername: "flow.example.com", ca, agent: false },
      ...{ method, path, headers: { host: "flow.example.com", ...headers, ...more } }
    })
  /** Sends a request; the body is written by `write`, which ends it or does not. */
  const send = (
    method: string,
    path: string,
    more: Record<string, string> = {},
    write: (sending: ReturnType<typeof request>) => void = (sending) => void sending.end()
  ): Promise<IncomingMessage> =>
    new Promise((done, fail) => {
      const sending = begin(method, path, more)
      sending.once("response", done)
      sending.once("error", fail)
      write(sending)
    })
  const text = async (answer: IncomingMessage) => {
    let all = ""
    for await (const chunk of answer.setEncoding("utf8")) all += chunk
    return all
  }
  /** The status and the body of an answer. */
  const ask = async (
    method: string,
    path: string,
    body?: { readonly type: string; readonly bytes: Buffer | string }
  ) => {
    const answer = await send(method, path, body === undefined ? {} : { "content-type": body.type }, (sending) =>
      body === undefined ? void sending.end() : void sending.end(body.bytes)
    )
    return { status: answer.statusCode, text: await text(answer) }
  }
  return { send, ask, text }
}

/** A multipart body with one file, and additional parts. */
export const multipart = (
  parts: Readonly<Record<string, string>>,
  file?: { readonly name: string; readonly bytes: Buffer | string }
) => {
  const boundary = "recipes-boundary"
  const field = ([name, value]: readonly [string, string]) =>
    `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`
  const head = Object.entries(parts).map(field).join("")
  const begun =
    file === undefined
      ? head
      : `${head}--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="${file.name}"\r\nContent-Type: application/octet-stream\r\n\r\n`
  const bytes = Buffer.concat([
    Buffer.from(begun),
    Buffer.from(file?.bytes ?? ""),
    Buffer.from(`\r\n--${boundary}--\r\n`)
  ])
  return { type: `multipart/form-data; boundary=${boundary}`, bytes }
}

import { request } from "node:http"

/** Reads the head and the first bytes of an answer, then nothing until `rest` or `leave` is called. */
export const slowly = (url: string, headers: Readonly<Record<string, string>> = {}) =>
  new Promise<{ rest: () => Promise<Buffer>; leave: () => void }>((resolve, reject) => {
    const sent = request(url, { agent: false, headers }, (response) => {
      response.once("readable", () => {
        const parts: Array<Buffer> = [response.read()]
        const rest = async () => {
          for await (const chunk of response) parts.push(chunk)
          return Buffer.concat(parts)
        }
        resolve({ rest, leave: () => sent.destroy() })
      })
    })
    sent.on("error", reject)
    sent.end()
  })

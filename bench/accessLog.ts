import { once } from "node:events"
import { createWriteStream } from "node:fs"

/** Access log lines of about 220 bytes each. One in five is filtered out. */
export const writeLog = async (path: string, mib: number) => {
  const file = createWriteStream(path)
  const agent = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36"
  for (let bytes = 0, i = 0; bytes < mib * 2 ** 20; ) {
    let text = ""
    for (; text.length < 2 ** 18; i++) {
      text +=
        `10.${i % 200}.${i % 99}.7 - ${i % 3 === 0 ? "frank" : "-"} [10/Oct/2025:13:${10 + (i % 50)}:36 +0200] ` +
        `"GET /shop/item${i}.html?ref=${(i * 7) % 9999} HTTP/1.1" ${i % 5 === 0 ? 404 : 200} ${2000 + (i % 7919)} ` +
        `"https://www.example.com/start/${i % 77}" "${agent}"\n`
    }
    bytes += text.length
    if (!file.write(text)) await once(file, "drain")
  }
  file.end()
  await once(file, "close")
}

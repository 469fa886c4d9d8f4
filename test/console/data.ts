import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import { assert } from "@effect/vitest"
import type { Page } from "playwright-core"

export const sha256 = (bytes: string | Buffer): string => createHash("sha256").update(bytes).digest("hex")

export const tenant = "mytenant"

/** A form in the encoding of `fetch`. */
export const form = (
  parts: Readonly<Record<string, string | readonly [content: string | Buffer, name: string]>>
): FormData => {
  const made = new FormData()
  for (const [name, part] of Object.entries(parts)) {
    if (typeof part === "string") made.set(name, part)
    else made.set(name, new Blob([new Uint8Array(Buffer.from(part[0]))]), part[1])
  }
  return made
}

export const send = async (url: string, method: string, body: FormData): Promise<void> => {
  const response = await fetch(url, { method, body })
  assert.isTrue(response.ok, await response.text())
}

export const artifact = (url: string, coordinates: string, file: string, content: string | Buffer) =>
  send(
    `${url}/v1/${tenant}/resources/upload`,
    "PUT",
    form({ manifest: [coordinates, "manifest.yaml"], input: [content, file] })
  )

export const register = (url: string, path: string, content: string | Buffer) =>
  send(`${url}/v1/${tenant}/registry`, "POST", form({ path, file: [content, "file"] }))

/** Selects files with the button of this name. */
export const choose = async (
  page: Page,
  button: string,
  files: ReadonlyArray<{ readonly name: string; readonly content: string | Buffer }>
): Promise<void> => {
  const [chooser] = await Promise.all([
    page.waitForEvent("filechooser"),
    page.getByRole("dialog").getByRole("button", { name: button }).click()
  ])
  await chooser.setFiles(
    files.map(({ name, content }) => ({ name, mimeType: "text/plain", buffer: Buffer.from(content) }))
  )
}

/** Drops files on the page. */
export const drop = async (page: Page, files: Readonly<Record<string, string>>): Promise<void> => {
  const transfer = await page.evaluateHandle((given) => {
    const made = new DataTransfer()
    for (const [name, content] of Object.entries(given)) made.items.add(new File([content], name))
    return made
  }, files)
  const target = page.getByRole("searchbox")
  await target.dispatchEvent("dragover", { dataTransfer: transfer })
  await page.getByText("Drop the files to upload them").waitFor()
  await target.dispatchEvent("drop", { dataTransfer: transfer })
}

export const contentOf = async (page: Page, link: ReturnType<Page["getByRole"]>): Promise<Buffer> => {
  const [download] = await Promise.all([page.waitForEvent("download"), link.click()])
  return readFileSync(await download.path())
}

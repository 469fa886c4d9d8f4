/** Saves a text or bytes as a file on the reader's computer. */
export const download = (name: string, content: string | Blob, type = "text/plain"): void => {
  const url = URL.createObjectURL(content instanceof Blob ? content : new Blob([content], { type }))
  const link = document.createElement("a")
  link.href = url
  link.download = name
  link.click()
  // The browser reads it after the click.
  setTimeout(() => URL.revokeObjectURL(url), 60_000)
}

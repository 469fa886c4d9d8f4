/** Why an uploaded file's name cannot be the last segment of a path, or undefined when it can. */
export const fileNameFault = (name: string): string | undefined => {
  if (name === "") return "the part needs a file name"
  if (name === "." || name === ".." || /[/\\]/.test(name)) return "a file name without folders is expected"
  if (/[\u0000-\u001f\u007f]/.test(name)) return "a file name without control characters is expected"
  return new TextEncoder().encode(name).length > 255 ? "a file name has at most 255 bytes" : undefined
}

/** Bytes of an object or a list, and of each of its members, besides the texts and numbers in it. */
const [containerBytes, memberBytes, scalarBytes] = [64, 24, 16]

/** About how many bytes of memory a value takes, such as a record. Names of members are shared and not counted. */
export const sizeOf = (value: unknown): number => {
  if (typeof value === "string") return scalarBytes + value.length * 2
  if (typeof value !== "object" || value === null) return scalarBytes
  let bytes = 0
  const waiting: Array<object> = [value]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    bytes += containerBytes
    for (const inner of Object.values(next)) {
      bytes += memberBytes
      if (typeof inner === "string") bytes += scalarBytes + inner.length * 2
      else if (typeof inner === "object" && inner !== null) waiting.push(inner)
    }
  }
  return bytes
}

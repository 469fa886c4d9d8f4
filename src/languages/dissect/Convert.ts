import { toFloat, toInteger } from "../Coercion.ts"
import type { KeyType } from "./Key.ts"

const yes = new Set(["1", "t", "T", "true", "TRUE", "True"])
const no = new Set(["0", "f", "F", "false", "FALSE", "False"])
const octet = "(?:25[0-5]|2[0-4]\\d|1?\\d?\\d)"
const ipv4 = new RegExp(`^${octet}(?:\\.${octet}){3}$`)

/** An IPv6 address as the URL parser accepts it, including a dotted tail; an address with a zone is not valid. */
const isIpv6 = (text: string): boolean => /^[0-9A-Fa-f:.]+$/.test(text) && URL.canParse(`http://[${text}]/`)

/**
 * The converted value, or undefined when the text does not have that type. Whole numbers may be hexadecimal (`0x…`).
 */
export const convert = (value: string, type: KeyType): string | number | boolean | undefined => {
  if (type === "string") return value
  // Trailing padding is ignored.
  const text = value.trimEnd()
  switch (type) {
    case "integer":
    case "int":
    case "long": {
      const hexadecimal = /^([+-]?)(0[xX][0-9A-Fa-f]+)$/.exec(text)
      if (hexadecimal === null) return /^[+-]?\d+$/.test(text) ? toInteger(text) : undefined
      return toInteger(hexadecimal[1] + BigInt(hexadecimal[2]!).toString())
    }
    case "float":
    case "double":
      return toFloat(text)
    case "boolean":
    case "bool":
      return yes.has(text) ? true : no.has(text) ? false : undefined
    case "ip":
      return ipv4.test(text) || isIpv6(text) ? text : undefined
  }
}

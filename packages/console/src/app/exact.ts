import { connectLight } from "@flow-gateway/client/light"
import { gatewayBase } from "./base.ts"
import { ofPage } from "./login.ts"

// Not all browsers support these, and TypeScript does not know them yet.
const { rawJSON, isRawJSON } = JSON as {
  readonly rawJSON?: (text: string) => object
  readonly isRawJSON?: (value: unknown) => boolean
}

type Reviver = (key: string, value: unknown, context?: { readonly source?: string }) => unknown
const parse = JSON.parse as (text: string, reviver?: Reviver) => unknown

/** The significant digits of a number, without its point and exponent. */
const digitsOf = (number: string): string =>
  number
    .replace(/e.*$/i, "")
    .replace(/[-.]/g, "")
    .replace(/^0+|0+$/g, "")

/** A quick test: most answers contain no number with so many digits. */
const mayBeLong = /[\d.]{16}/

/**
 * Parses JSON without losing digits: a number that would lose some becomes an object that `JSON.stringify` writes as it
 * was.
 */
const exact = (text: string): unknown =>
  rawJSON === undefined || !mayBeLong.test(text)
    ? parse(text)
    : parse(text, (_, value, context) =>
        typeof value === "number" &&
        context?.source !== undefined &&
        digitsOf(context.source) !== digitsOf(String(value))
          ? rawJSON(context.source)
          : value
      )

/** The gateway, whose answers keep all digits of their numbers; see `digitsIn`. */
export const exactGateway = connectLight(gatewayBase, { headers: ofPage, parse: exact })

/** All digits of a number that a JavaScript number cannot hold; undefined for all other values. */
export const digitsIn = (value: unknown): string | undefined =>
  isRawJSON?.(value) === true ? JSON.stringify(value) : undefined

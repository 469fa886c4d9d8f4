import { HttpServerResponse } from "effect/http"

/** A range of media types in an `Accept` header, such as `text/*`. */
interface Range {
  readonly type: string
  /** From 0, which excludes the range, to 1. */
  readonly weight: number
}

/** The ranges of an `Accept` header in their order, without those whose weight is no number. */
export const rangesOf = (accept = ""): ReadonlyArray<Range> =>
  accept
    .toLowerCase()
    .split(",")
    .flatMap((entry) => {
      const [type = "", ...parameters] = entry.split(";").map((part) => part.trim())
      const weight = Number(parameters.find((parameter) => parameter.startsWith("q="))?.slice(2) ?? 1)
      return type === "" || Number.isNaN(weight) ? [] : [{ type, weight }]
    })

/**
 * What an `Accept` header prefers of several offers: the one with the highest weight, which the most specific range of
 * an offer decides (RFC 9110, section 12.5.1). Among equals the offer that is named more exactly, then the one that is
 * named first, then the first. Without an acceptable one it is the first offer.
 */
export const preferred = <A>(
  accept: string | undefined,
  offers: readonly [first: readonly [mediaType: string, A], ...others: ReadonlyArray<readonly [string, A]>]
): A => {
  const ranges = rangesOf(accept)
  const types = ranges.map(({ type }) => type)
  let found = offers[0][1]
  let best = { weight: 0, exactness: 0, place: 0 }
  for (const [mediaType, offer] of offers) {
    const names = ["*/*", `${mediaType.slice(0, mediaType.indexOf("/"))}/*`, mediaType]
    const exactness = names.findLastIndex((name) => types.includes(name))
    const place = types.indexOf(names[exactness] ?? "")
    const weight = ranges[place]?.weight ?? 0
    const order = weight - best.weight || exactness - best.exactness || best.place - place
    if (weight <= 0 || order <= 0) continue
    found = offer
    best = { weight, exactness, place }
  }
  return found
}

/** An answer that `Accept` has selected. */
export const selected = (response: HttpServerResponse.HttpServerResponse): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.setHeader(response, "vary", "Accept")

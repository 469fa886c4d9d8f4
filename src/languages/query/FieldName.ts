/** A name with more parts is only looked up as nested members and as one member. */
const splitParts = 4

/** The ways to split a dotted name into members. */
export const cuts = (parts: ReadonlyArray<string>): ReadonlyArray<ReadonlyArray<string>> => {
  if (parts.length > splitParts) return [parts, [parts.join(".")]]
  const [first, ...rest] = parts
  if (first === undefined) return [[]]
  if (rest.length === 0) return [[first]]
  return [...cuts(rest).map((cut) => [first, ...cut]), ...cuts([`${first}.${rest[0]}`, ...rest.slice(1)])]
}

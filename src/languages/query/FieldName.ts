/** Names of more parts than this are looked up as nested members, and as one member, only. */
const splitParts = 4

/** The ways in which a dotted name can be cut into members. */
export const cuts = (parts: ReadonlyArray<string>): ReadonlyArray<ReadonlyArray<string>> => {
  if (parts.length > splitParts) return [parts, [parts.join(".")]]
  const [first, ...rest] = parts
  if (first === undefined) return [[]]
  if (rest.length === 0) return [[first]]
  return [...cuts(rest).map((cut) => [first, ...cut]), ...cuts([`${first}.${rest[0]}`, ...rest.slice(1)])]
}

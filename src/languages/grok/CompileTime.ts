/** What a regular expression may have besides literal text and references. */
const operators = /[\\|([{?*+^$.]/g

/**
 * Whether compiling these expressions, as plain data, may take more than a few milliseconds: a few hundred characters can
 * take seconds, with `\X` or thousands of alternatives, and a pattern of the bank up to 20 ms.
 */
export const mayTakeLong = (expressions: unknown): boolean => {
  const text = JSON.stringify(expressions)
  return text.split("%{").length > 3 || (text.match(operators)?.length ?? 0) > 24
}

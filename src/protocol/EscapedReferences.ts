/** What the references of flowlines begin with, to parameters, variables and secrets. */
const openings = /\$\{(?=(?:param|var|secret):)/g

/** A value of a setting that stands for this value: nothing in its texts is a reference. */
export const withoutReferences = <A>(value: A): A =>
  JSON.parse(JSON.stringify(value), (_key: string, text: unknown) =>
    typeof text === "string" ? text.replace(openings, "$$${") : text
  ) as A

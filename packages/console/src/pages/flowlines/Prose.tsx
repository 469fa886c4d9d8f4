/** A description of the gateway: its words in backticks are code. */
export const Prose = ({ text }: { readonly text: string }) =>
  text.split(/`([^`]+)`/).map((part, at) =>
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text do not change.
    at % 2 === 1 ? <code key={at}>{part}</code> : part
  )

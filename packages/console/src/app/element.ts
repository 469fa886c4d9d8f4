/** Creates an element before React is loaded. Strings become text nodes. */
export const element = <Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Readonly<Record<string, string | undefined>>,
  ...children: ReadonlyArray<Node | string>
): HTMLElementTagNameMap[Name] => {
  const made = document.createElement(name)
  for (const [key, value = ""] of Object.entries(attributes)) made.setAttribute(key, value)
  made.append(...children)
  return made
}

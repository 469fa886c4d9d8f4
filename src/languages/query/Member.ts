/** Sets a member of an object; `__proto__` is an ordinary name. */
export const setMember = <A>(object: Record<string, A>, name: string, value: A): void => {
  if (name === "__proto__") {
    Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true })
  } else object[name] = value
}

// Runs inside the sandbox before the program. Its source text is passed there: it must not refer to anything outside.

/**
 * Removes the clock, random numbers and shared memory, and freezes all existing objects, so that an event cannot affect
 * the processing of the next one.
 */
export function secure(): void {
  const refuse = (what: string) => () => {
    throw new TypeError(`${what} is not available: programs have no clock and no random numbers`)
  }
  const RealDate = Date
  const zoneless = /^[+-]?\d{4,6}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?$/
  const NoClockDate = function (...parts: ReadonlyArray<unknown>): Date {
    if (new.target === undefined || parts.length === 0)
      throw new TypeError("the current time is not available: give new Date() a value")
    const [only] = parts
    const value =
      parts.length > 1
        ? RealDate.UTC(...(parts as [number, number]))
        : typeof only === "string" && zoneless.test(only)
          ? `${only}Z`
          : only
    return Reflect.construct(RealDate, [value], new.target)
  }
  const define = (target: object, name: string, value: unknown): void => {
    Object.defineProperty(target, name, { value, writable: true, configurable: true, enumerable: false })
  }
  const prototype = RealDate.prototype
  for (const name of Object.getOwnPropertyNames(prototype)) {
    const universal = name.replace(/^(get|set)(?!UTC|Time)/, "$1UTC")
    if (universal !== name && universal in prototype) define(prototype, name, Reflect.get(prototype, universal))
  }
  for (const name of [
    "toString",
    "toDateString",
    "toTimeString",
    "toLocaleString",
    "toLocaleDateString",
    "toLocaleTimeString"
  ]) {
    define(prototype, name, prototype.toUTCString)
  }
  define(prototype, "getTimezoneOffset", () => 0)
  Reflect.set(NoClockDate, "prototype", prototype)
  define(NoClockDate, "UTC", RealDate.UTC)
  const { construct } = Reflect
  define(NoClockDate, "parse", (text: unknown) => construct(NoClockDate, [String(text)]).getTime())
  define(NoClockDate, "now", refuse("Date.now"))
  define(prototype, "constructor", NoClockDate)
  define(globalThis, "Date", NoClockDate)
  define(Math, "random", refuse("Math.random"))
  for (const name of ["WeakRef", "FinalizationRegistry", "SharedArrayBuffer", "Atomics"])
    Reflect.deleteProperty(globalThis, name)

  // A property that is read-only on a frozen prototype could not be set on objects that inherit from it either.
  const overridable = (target: object): void => {
    for (const key of Reflect.ownKeys(target)) {
      const own = Reflect.getOwnPropertyDescriptor(target, key)
      if (own === undefined || !own.configurable || !("value" in own)) continue
      const { value } = own
      Object.defineProperty(target, key, {
        configurable: false,
        enumerable: false,
        get: () => value,
        set(this: object, next: unknown) {
          if (this === target) throw new TypeError(`${String(key)} cannot be changed`)
          Object.defineProperty(this, key, { value: next, writable: true, configurable: true, enumerable: true })
        }
      })
    }
  }
  const seen = new Set<object>()
  const freeze = (value: unknown): void => {
    if ((typeof value !== "object" && typeof value !== "function") || value === null || seen.has(value)) return
    seen.add(value)
    for (const key of Reflect.ownKeys(value)) {
      const own = Reflect.getOwnPropertyDescriptor(value, key)
      freeze(own?.value)
      freeze(own?.get)
      freeze(own?.set)
    }
    freeze(Reflect.getPrototypeOf(value))
    if (value === globalThis) return
    if (value === Object.prototype || value === Error.prototype || value instanceof Error) overridable(value)
    Object.freeze(value)
  }
  freeze(globalThis)
  const hidden = [
    function* () {},
    async () => {},
    async function* () {},
    [][Symbol.iterator](),
    new Map()[Symbol.iterator](),
    new Set()[Symbol.iterator](),
    ""[Symbol.iterator](),
    "".matchAll(/x/g)
  ]
  for (const value of hidden) freeze(Reflect.getPrototypeOf(value))
  for (const key of Reflect.ownKeys(globalThis)) {
    const own = Reflect.getOwnPropertyDescriptor(globalThis, key)
    if (own?.configurable) Object.defineProperty(globalThis, key, { writable: false, configurable: false })
  }
}

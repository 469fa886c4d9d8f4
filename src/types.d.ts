// hjson ships no types.
declare module "hjson" {
  const Hjson: {
    parse(text: string, options?: { keepWsc?: boolean; legacyRoot?: boolean }): unknown
    stringify(value: unknown): string
  }
  export default Hjson
}

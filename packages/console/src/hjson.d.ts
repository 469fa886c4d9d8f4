// hjson ships no types.
declare module "hjson" {
  const Hjson: { parse(text: string): unknown }
  export default Hjson
}

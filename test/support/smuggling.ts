/**
 * Heads of a `POST` whose end two parsers may see in different places; each is followed by bytes that could be a
 * request.
 */
export const ambiguous: ReadonlyArray<readonly [what: string, fields: string]> = [
  ["CL.TE", "Content-Length: 5\r\nTransfer-Encoding: chunked"],
  ["TE.CL", "Transfer-Encoding: chunked\r\nContent-Length: 5"],
  ["two lengths", "Content-Length: 0\r\nContent-Length: 5"],
  ["a list of lengths", "Content-Length: 0, 5"],
  ["equal lengths", "Content-Length: 5\r\nContent-Length: 5"],
  ["a signed length", "Content-Length: +5"],
  ["a negative length", "Content-Length: -5"],
  ["a hexadecimal length", "Content-Length: 0x5"],
  ["a length with a blank", "Content-Length: 1 5"],
  ["an endless length", "Content-Length: 99999999999999999999999999"],
  ["an empty length", "Content-Length: "],
  ["a blank before the colon", "Content-Length : 5"],
  ["a blank before the colon of TE", "Transfer-Encoding : chunked"],
  ["a tab before the colon of TE", "Transfer-Encoding\t: chunked"],
  ["unknown coding", "Transfer-Encoding: xchunked"],
  ["a coding after chunked", "Transfer-Encoding: chunked, identity"],
  ["chunked twice", "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity"],
  ["quoted coding", 'Transfer-Encoding: "chunked"'],
  ["a coding with a vertical tab", "Transfer-Encoding: \x0bchunked"],
  ["a folded line", "Transfer-Encoding:\r\n chunked"],
  ["a folded length", "Content-Length:\r\n 5"],
  ["a line of its own before", " Transfer-Encoding: chunked"],
  ["a bare LF", "X: a\nContent-Length: 5"],
  ["a bare CR", "X: a\rContent-Length: 5"],
  ["a bare CR in TE", "Transfer-Encoding: chunked\rX: a"],
  ["a NUL", "X: a\0\r\nContent-Length: 5"],
  ["a name with a NUL", "Content-Length\0: 5"],
  ["no colon", "Content-Length 5"]
]

/** Codings before `chunked` for which Node finds the end, with the status of the answer that closes the connection. */
export const coded: ReadonlyArray<readonly [status: number, version: string, fields: string]> = [
  [501, "1.1", "Transfer-Encoding: gzip, chunked"],
  [501, "1.1", "Transfer-Encoding: gzip,chunked"],
  [501, "1.1", "Transfer-Encoding: identity\r\nTransfer-Encoding: chunked"],
  [501, "1.1", "Transfer-Encoding: gzip, chunked\r\nExpect: 100-continue"],
  [501, "1.1", "Transfer-Encoding: gzip, chunked\r\nExpect: something"],
  [400, "1.1", "Transfer-Encoding: gzip"],
  [400, "1.0", "Transfer-Encoding: chunked"],
  [400, "1.0", "Transfer-Encoding: gzip, chunked\r\nConnection: keep-alive"]
]

/** Bytes after such a head: one parser sees nothing there, the other a request. */
export const bodies = ["0\r\n\r\n", "12345", "5\r\nabcde\r\n0\r\n\r\n"]

/** Parts of paths that parsers normalise in different ways. */
export const oddParts: ReadonlyArray<string> = [
  ...["..", ".", "", "%2e%2e", "..%2f", "..;", "%2f", "%5c", "\\", "conf", "v1", "mytenant", ";a=b", "%2e%2e%2f"]
]

/** Pseudo-random numbers below a limit. They are the same each time. */
export const seeded = (first: number) => {
  let seed = first
  return (below: number): number => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648
    return Math.floor((seed / 2_147_483_648) * below)
  }
}

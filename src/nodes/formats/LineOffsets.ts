import { type Encoding, firstLineEnd } from "../../languages/Encoding.ts"
import type { LinePlace } from "../ports/Position.ts"

/** Where the latest lines of a source begin. */
export class LineOffsets {
  /** The offsets of the lines from `#from` on; the last one is that of the line after the blocks. */
  #offsets: Array<number> = [0]
  #from = 1
  #end = 0

  /** Adds whole lines, or the beginning of a long one. */
  add(block: Uint8Array, encoding: Encoding): void {
    for (let at = firstLineEnd(block, encoding); at !== 0; at = firstLineEnd(block, encoding, at)) {
      this.#offsets.push(this.#end + at)
      if (at === block.length) break
    }
    this.#end += block.length
  }

  of(line: number): LinePlace {
    return { line, offset: this.#offsets[line - this.#from] ?? this.#end }
  }

  /** Forgets the lines before this one. */
  drop(line: number): void {
    this.#offsets.splice(0, line - this.#from)
    this.#from = line
  }
}

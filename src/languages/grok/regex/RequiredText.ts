import type { Node } from "../syntax/Syntax.ts"

/** Anchors, which match between characters. */
const widthless = /^(?:[\^$]|\\[AbBGzZ])$/
/** A literal character, escaped or not. */
const character = /^(?:[^\\.^$]{1,2}|\\[^0-9A-Za-z\s])$/u
/** Groups whose text is part of the match. */
const inline = /^\((?:\?:|\?>|\?[imxadu]*(?:-[imx]*)?:)?$/
const ignoresCase = /^\(\?[a-z]*i/

/** Shorter texts are in nearly every line. */
const minLength = 2

/**
 * The longest text that every match of the expression contains, if it is worth searching for: a line without it need
 * not be matched.
 */
export const requiredText = (root: Node): string | undefined => {
  let best = ""
  let run = ""
  let isSound = true

  const end = () => {
    if (run.length > best.length) best = run
    run = ""
  }
  const walk = (node: Node): void => {
    switch (node.kind) {
      case "sequence":
        for (const item of node.items) walk(item)
        break
      case "atom":
        if (widthless.test(node.text)) break
        if (character.test(node.text)) run += node.text.startsWith("\\") ? node.text.slice(1) : node.text
        else end()
        break
      case "mark":
        if (ignoresCase.test(node.text)) isSound = false
        break
      case "group":
        if (ignoresCase.test(node.open)) isSound = false
        // A lookaround is not part of the match.
        if (inline.test(node.open)) walk(node.body)
        else end()
        break
      case "repeat":
        end()
        if (node.min > 0) walk(node.node)
        end()
        break
      default:
        end()
    }
  }
  walk(root)
  end()
  return isSound && best.length >= minLength && best.trim() !== "" ? best : undefined
}

import { createElement, Fragment, type ReactNode } from "react"
import { Link } from "../../app/Link.tsx"
import { CopyableCode } from "../../parts/CopyableCode.tsx"
import { guide as t } from "../../texts/en.ts"
import { nameOf, targetOf } from "./addresses.ts"
import css from "./guide.module.css"
import { hidden } from "./inert.ts"
import { addressOfPage } from "./pageAddress.ts"

/** The origin of a page, to resolve its relative addresses. */
export interface Place {
  /** The address of the page at the gateway. */
  readonly base: string
  /** The address of the documentation. */
  readonly root: string
  /** The shown page: links to it are marked. */
  readonly current?: string
}

/** Elements that are kept, without attributes. All others are replaced by their content. */
const plain = new Set(
  "p ul li blockquote hr br em strong b i u s del ins sub sup kbd samp var code dl dt dd div span figure figcaption abbr mark small details summary thead tbody tfoot tr cite q caption".split(
    " "
  )
)

const isHidden = (tag: string): boolean => tag.startsWith("x-") || hidden.includes(tag)

const voids = new Set(["hr", "br"])

/** Anchors of a page get a prefix, so that they cannot clash with ids of the console. */
export const anchorOf = (id: string): string => `doc-${id}`

const anchor = (element: Element, place: Place, children: ReactNode): ReactNode => {
  const target = targetOf(element.getAttribute("href") ?? "about:blank", place.base, place.root)
  if (target === undefined) return <span>{children}</span>
  if (target.kind === "page") {
    return (
      <Link
        to={addressOfPage(target.path, target.hash)}
        current={place.current !== undefined && nameOf(target.path) === place.current}
      >
        {children}
      </Link>
    )
  }
  return (
    <a href={target.url} target="_blank" rel="noopener noreferrer">
      {children}
    </a>
  )
}

const picture = (element: Element, place: Place): ReactNode => {
  const alt = element.getAttribute("alt") ?? ""
  const source = element.getAttribute("src") ?? "about:blank"
  if (/^data:image\/(png|jpeg|gif|webp);/i.test(source)) return <img src={source} alt={alt} />
  const target = targetOf(source, place.base, place.root)
  if (target?.kind === "file") return <img src={target.url} alt={alt} loading="lazy" />
  const name = alt === "" ? t.unnamed : alt
  if (target === undefined) return <span>{t.picture(name)}</span>
  return target.kind === "page" ? null : (
    <a href={target.url} target="_blank" rel="noopener noreferrer">
      {t.picture(name)}
    </a>
  )
}

const cell = (element: Element, tag: "td" | "th", children: ReactNode): ReactNode => {
  const spanOf = (name: string) => {
    const value = Number(element.getAttribute(name) ?? 1)
    return Number.isInteger(value) && value > 0 && value <= 100 ? value : 1
  }
  const aligned = /text-align:\s*(left|right|center)/.exec(element.getAttribute("data-style") ?? "")?.[1]
  const align = aligned ?? /^(left|right|center)$/.exec(element.getAttribute("align") ?? "")?.[0]
  const props = {
    colSpan: spanOf("colspan"),
    rowSpan: spanOf("rowspan"),
    ...(align === undefined ? {} : { style: { textAlign: align as "left" | "right" | "center" } })
  }
  // A heading without text names nothing.
  const isHead = tag === "th" && element.textContent.trim() !== ""
  return isHead ? (
    <th scope="col" {...props}>
      {children}
    </th>
  ) : (
    <td {...props}>{children}</td>
  )
}

const elementOf = (element: Element, place: Place): ReactNode => {
  const tag = element.localName
  if (isHidden(tag)) return null
  const children = voids.has(tag) ? undefined : <Markup of={element} place={place} />
  const level = /^h([1-6])$/.exec(tag)?.[1]
  // One level below the title of the console's page.
  if (level !== undefined) {
    const { id } = element
    const name = `h${Math.min(6, Number(level) + 1)}`
    return id === ""
      ? createElement(name, undefined, children)
      : createElement(name, { id: anchorOf(id), tabIndex: -1 }, children)
  }
  switch (tag) {
    case "a":
      return anchor(element, place, children)
    case "img":
      return picture(element, place)
    case "td":
    case "th":
      return cell(element, tag, children)
    case "ol": {
      const start = Number(element.getAttribute("start") ?? 1)
      return <ol start={Number.isInteger(start) ? start : 1}>{children}</ol>
    }
    case "pre":
      return (
        <div className={css.code}>
          <CopyableCode text={element.textContent.replace(/\n$/, "")}>{children}</CopyableCode>
        </div>
      )
    case "table":
      return (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling area must be reachable by keyboard.
        <div className={css.table} tabIndex={0}>
          <table>{children}</table>
        </div>
      )
  }
  return plain.has(tag) ? createElement(tag, undefined, children) : children
}

/** Whitespace between rows and cells is not content. */
const isBlankBetween = (of: Element, text: string): boolean =>
  /^(table|thead|tbody|tfoot|tr)$/.test(of.localName) && text.trim() === ""

/**
 * The content of an element of a page, as newly created elements: only those of a fixed list, with their texts. Nothing
 * else of the page enters the document, so nothing in it can run.
 */
export const Markup = ({ of, place }: { readonly of: Element; readonly place: Place }) => (
  <>
    {[...of.childNodes].map((node, at) => {
      if (node instanceof Text) return isBlankBetween(of, node.data) ? null : node.data
      if (!(node instanceof Element)) return null
      // biome-ignore lint/suspicious/noArrayIndexKey: the page does not change.
      return <Fragment key={at}>{elementOf(node, place)}</Fragment>
    })}
  </>
)

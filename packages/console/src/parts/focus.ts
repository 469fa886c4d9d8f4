const isLost = (): boolean => document.activeElement === null || document.activeElement === document.body

/**
 * Notes the element that has the focus before something is opened. The returned function gives the focus back to it. The
 * browser does this itself when it closes a dialog, and the reader may have moved the focus since, so only a lost focus
 * is returned.
 *
 * If the element cannot take it, such as the button of a row that was deleted, the focus goes to what surrounded it: its
 * table, or else the page. A list is often read again only after the dialog is closed, so this holds until the next key.
 */
export const notedFocus = (before = document.activeElement): (() => void) => {
  const around: Array<HTMLElement> = []
  for (let at = before; at !== null; at = at.parentElement) {
    if (at instanceof HTMLElement && (at === before || at.matches('[tabindex="0"], #main'))) around.push(at)
  }
  const giveBack = () => {
    // One that is gone, disabled or hidden does not take it.
    for (const one of around) if (isLost()) one.focus({ preventScroll: true })
  }
  return () => {
    giveBack()
    const watching = new MutationObserver(giveBack)
    watching.observe(document.body, { childList: true, subtree: true })
    for (const used of ["keydown", "pointerdown"]) addEventListener(used, () => watching.disconnect(), { once: true })
  }
}

/**
 * Gives the focus back to who had it before something was opened. The browser does it itself where it closes a dialog, and
 * the reader may have gone on since: only a focus that was lost is given back.
 */
export const giveFocusBack = (before: Element | null): void => {
  const isLost = document.activeElement === null || document.activeElement === document.body
  if (isLost && before instanceof HTMLElement && before.isConnected) before.focus()
}

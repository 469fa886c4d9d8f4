/**
 * Returns the focus to the element that had it before something was opened. The browser does this itself when it closes
 * a dialog, and the reader may have moved the focus since, so only a lost focus is returned.
 */
export const giveFocusBack = (before: Element | null): void => {
  const isLost = document.activeElement === null || document.activeElement === document.body
  if (isLost && before instanceof HTMLElement && before.isConnected) before.focus()
}

/** Whether key presses enter text there. An editor is in a shadow tree, so the event only names its host. */
export const takesText = (event: KeyboardEvent): boolean => {
  const [target] = event.composedPath()
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || target.matches("input:not([type=radio], [type=checkbox]), textarea, select"))
  )
}

import { type AriaAttributes, type ReactNode, type Ref, useState } from "react"

/** A native button: it works with mouse, touch and keyboard, and needs no library. */
export const Button = ({
  onPress,
  isDisabled = false,
  type = "button",
  ...rest
}: Pick<AriaAttributes, "aria-label" | "aria-expanded" | "aria-controls" | "aria-haspopup" | "aria-pressed"> & {
  readonly ref?: Ref<HTMLButtonElement>
  readonly onPress?: () => void
  readonly isDisabled?: boolean
  readonly type?: "button" | "submit"
  readonly className?: string | undefined
  readonly children: ReactNode
}) => {
  const [isFocused, setFocused] = useState(false)
  return (
    <button
      type={type}
      // The browser takes the focus from a disabled button, such as one that was just pressed.
      disabled={isDisabled && !isFocused}
      aria-disabled={(isDisabled && isFocused) || undefined}
      onFocus={() => setFocused(true)}
      onBlur={() => setFocused(false)}
      onClick={(event) => (isDisabled ? event.preventDefault() : onPress?.())}
      {...rest}
    />
  )
}

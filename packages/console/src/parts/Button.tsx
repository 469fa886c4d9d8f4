import type { AriaAttributes, ReactNode, Ref } from "react"

/** A native button: it works with mouse, touch and keyboard, and needs no library. */
export const Button = ({
  onPress,
  isDisabled,
  type = "button",
  ...rest
}: Pick<AriaAttributes, "aria-label" | "aria-expanded" | "aria-controls" | "aria-haspopup" | "aria-pressed"> & {
  readonly ref?: Ref<HTMLButtonElement>
  readonly onPress?: () => void
  readonly isDisabled?: boolean
  readonly type?: "button" | "submit"
  readonly className?: string | undefined
  readonly children: ReactNode
}) => <button type={type} disabled={isDisabled} onClick={onPress && (() => onPress())} {...rest} />

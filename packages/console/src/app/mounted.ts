import { useEffect, useRef } from "react"

/** Whether the component is still on the page. What waits for an answer asks this when it has come. */
export const useMounted = (): { readonly current: boolean } => {
  const isMounted = useRef(true)
  useEffect(() => {
    isMounted.current = true
    return () => {
      isMounted.current = false
    }
  }, [])
  return isMounted
}

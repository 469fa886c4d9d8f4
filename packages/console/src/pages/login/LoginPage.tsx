import { useEffect } from "react"
import { Link } from "../../app/Link.tsx"
import { addressOf, go } from "../../app/location.ts"
import { takePlace } from "../../app/returning.ts"
import { Frame } from "../../parts/Frame.tsx"
import { login } from "../../texts/en.ts"

/** The end of a login at an issuer: returns to where the reader was, or says that another tab continues. */
const LoginPage = () => {
  useEffect(() => {
    const place = takePlace()
    if (place !== undefined) go(place, "replace")
  }, [])
  return (
    <Frame title={login.done}>
      <p>{login.closable}</p>
      <p>
        <Link to={addressOf([])}>{login.toTester}</Link>
      </p>
    </Frame>
  )
}

export default LoginPage

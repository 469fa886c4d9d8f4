import { addressOf } from "../../app/location.ts"
import { nameOf } from "./addresses.ts"

/** The address of a page in the console. */
export const addressOfPage = (path: string, hash = ""): string => {
  const name = nameOf(path)
  return addressOf(["guide", "documentation", ...(name === "" ? [] : name.split("/"))]) + hash
}

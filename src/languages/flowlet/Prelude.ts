import { cidr } from "./guest/cidr.ts"
import { csv } from "./guest/csv.ts"
import { date } from "./guest/date.ts"
import { harness } from "./guest/harness.ts"
import { kv } from "./guest/kv.ts"
import { secure } from "./guest/secure.ts"

const helpers = [kv, csv, date, cidr]

/**
 * The script that a sandbox runs before a program: the functions of `guest/`, which are plain JavaScript once their
 * types are removed. Its value is the function of the harness.
 */
export const prelude = [
  "'use strict';",
  ...helpers.map(
    (helper) => `Object.defineProperty(globalThis, "${helper.name}", { value: Object.freeze(${helper}) });`
  ),
  `(${secure})();`,
  `(${harness})`
].join("\n")

import { execFileSync } from "node:child_process"
import { packagePath } from "../../src/drivers/Package.ts"

/** The test gateways serve the console built from these sources. */
export default function setup(): void {
  for (const script of ["bundle-client", "bundle-console"]) {
    execFileSync(process.execPath, [packagePath(`scripts/${script}.ts`)], { stdio: "inherit" })
  }
}

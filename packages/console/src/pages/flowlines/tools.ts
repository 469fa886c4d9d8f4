import { late } from "./late.ts"

/**
 * What reads and edits texts: with the package `yaml`, a tenth of the page. A flowline that nobody has changed is shown
 * without it, as the gateway knows what its text says.
 */
export const tools = late(() => import("./yamlTools.ts").then(({ yamlTools }) => yamlTools))

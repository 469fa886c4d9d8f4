// All scripts lie in `console/assets/`, below whatever prefix a proxy has put before the paths.
const here = import.meta.url

/** The address of the gateway, which ends with a slash. */
export const gatewayBase: string = new URL("../../", here).href

/** The path of the console, which ends with a slash. */
export const consolePath: string = new URL("../", here).pathname

export { patterns } from "../legacy/maven.ts"

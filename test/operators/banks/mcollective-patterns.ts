export { samples } from "./mcollective.ts"

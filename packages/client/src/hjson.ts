export {
  type Mark,
  type Marked,
  type Position,
  Source,
  TextFault
} from "../../../src/languages/document/DocumentSource.ts"
export { readHjson } from "../../../src/languages/document/Hjson.ts"

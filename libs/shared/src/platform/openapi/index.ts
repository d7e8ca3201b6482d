export {
  type DocumentFormat,
  lazyOpenapi,
  openapiDocument,
  openapiTypes,
  type RenderedDocument,
  renderOpenapi,
} from "./document.ts";
export type { Json, JsonObject } from "./json.ts";
export { callerRejections } from "./security.ts";

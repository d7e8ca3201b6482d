export { openapiDocument } from "./document.ts";
export type { Json, JsonObject } from "./json.ts";
export { type DocumentFormat, lazyOpenapi, openapiTypes, type RenderedDocument, renderOpenapi } from "./render.ts";
export { callerRejections } from "./security.ts";

export { type AttributeFilter, createAttributeFilter } from "./secret-attributes.ts";
export { secretFields } from "./secret-fields.ts";

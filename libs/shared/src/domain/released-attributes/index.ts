export { type AttributeFilter, createAttributeFilter, secretFields } from "./secret-attributes.ts";

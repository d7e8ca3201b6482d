import { expand, hasMacros, parseTemplate, type TemplateValues } from "./macros.ts";

/** RFC 4514 section 2.4: one value inside a distinguished name. */
export function escapeDnValue(value: string): string {
  return value
    .replaceAll(/[\\"+,;<=>]/g, String.raw`\$&`)
    .replaceAll("\0", String.raw`\00`)
    .replace(/^[# ]/, String.raw`\$&`)
    .replace(/ $/, String.raw`\ `);
}

export interface BaseDn {
  /**
   * Whether the name depends on the request: a missing base then means "no such user" instead of a wrong configuration.
   */
  readonly hasMacros: boolean;
  expand(query: TemplateValues): string;
}

/** A search base with macros. Throws `CONFIG_INVALID` on unknown macros. */
export function compileBaseDn(template: string): BaseDn {
  const parts = parseTemplate(template);
  if (!hasMacros(parts)) {
    const baseDn = parts.join("");
    return { hasMacros: false, expand: () => baseDn };
  }
  return { hasMacros: true, expand: (query) => expand(parts, query, escapeDnValue) };
}

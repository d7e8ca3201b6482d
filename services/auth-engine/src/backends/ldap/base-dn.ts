import { expand, hasMacros, parseTemplate, type TemplateValues } from "./macros.ts";

/** RFC 4514 section 2.4: one value inside a distinguished name. */
export function escapeDnValue(value: string): string {
  return value
    .replaceAll(/[\\"+,;<=>]/g, String.raw`\$&`)
    .replaceAll("\0", String.raw`\00`)
    .replace(/^[# ]/, String.raw`\$&`)
    .replace(/ $/, String.raw`\ `);
}

/**
 * A search base with macros. If it has any, it depends on the request: a missing base then means "no such user" instead
 * of a wrong configuration. `fixedPart`: the names behind the last macro, below which every expansion lies; empty if
 * there are none. Throws `CONFIG_INVALID` on unknown macros.
 */
export function compileBaseDn(template: string) {
  const parts = parseTemplate(template);
  if (!hasMacros(parts)) {
    const baseDn = parts.join("");
    return { hasMacros: false, fixedPart: baseDn, expand: (_query: TemplateValues): string => baseDn };
  }
  const end = parts.at(-1);
  // The text behind the macro may belong to the same name, up to the next separator.
  const fixedPart = typeof end === "string" ? (/(?<!\\)[,;](.*)$/s.exec(end)?.[1]?.trim() ?? "") : "";
  return { hasMacros: true, fixedPart, expand: (query: TemplateValues): string => expand(parts, query, escapeDnValue) };
}

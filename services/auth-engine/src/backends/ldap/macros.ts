import { AppError } from "@postern/shared/platform/errors";
import type { BackendQuery } from "../backend.ts";

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

/** Values of the macros. `userDn` and `account` are known after a user was found, for group searches. */
export interface TemplateValues extends BackendQuery {
  readonly userDn?: string | undefined;
  readonly account?: string | undefined;
}

export type Macro = (query: TemplateValues) => string;

/** A text with macros, parsed once at start. */
export type TemplatePart = string | Macro;

function localPart(username: string): string {
  const at = username.lastIndexOf("@");
  return at === -1 ? username : username.slice(0, at);
}

function domainPart(username: string): string {
  const at = username.lastIndexOf("@");
  return at === -1 ? "" : username.slice(at + 1);
}

const macros: Readonly<Record<string, Macro>> = {
  user: (query) => query.username,
  username: (query) => localPart(query.username),
  domain: (query) => domainPart(query.username),
  service: (query) => query.protocol,
  local_ip: (query) => query.localIp ?? "",
  local_port: (query) => query.localPort ?? "",
  remote_ip: (query) => query.clientIp ?? "",
  remote_port: (query) => query.clientPort ?? "",
  user_dn: (query) => query.userDn ?? "",
  account: (query) => query.account ?? "",
};

/** No entry contains a line break, and one in a name is an attempt to forge log lines. */
const withoutLineBreaks = (value: string): string => (/[\r\n]/.test(value) ? value.replaceAll(/[\r\n]+/g, "") : value);

function modified(macro: Macro, modifiers: string): Macro {
  if (modifiers.includes("L")) return (query) => withoutLineBreaks(macro(query)).toLowerCase();
  if (modifiers.includes("U")) return (query) => withoutLineBreaks(macro(query)).toUpperCase();
  return (query) => withoutLineBreaks(macro(query));
}

function parseMacro(found: RegExpExecArray, text: string): TemplatePart {
  const [token, modifiers = "", name = ""] = found;
  if (token === "%%") return "%";
  if (token === "%s") return modified((query) => query.username, "");
  const macro = Object.hasOwn(macros, name) ? macros[name] : undefined;
  if (macro === undefined) {
    const names = Object.keys(macros).join(", ");
    throw new AppError("CONFIG_INVALID", {
      detail: `unknown macro ${JSON.stringify(token)} in ${JSON.stringify(text)}; use %s, or %{…} with one of ${names}`,
    });
  }
  return modified(macro, modifiers);
}

/**
 * Parses the macros of a text: `%s`, `%{name}`, `%L{name}` (lower case), `%U{name}` (upper case), `%%`. The modifiers R
 * and T of existing configurations are accepted and ignored. Throws `CONFIG_INVALID` on any other `%`.
 */
export function parseTemplate(text: string): readonly TemplatePart[] {
  const parts: TemplatePart[] = [];
  let end = 0;
  for (const found of text.matchAll(/%(?:%|s|([LURT]*)\{([^}]*)\}|)/g)) {
    if (found.index > end) parts.push(text.slice(end, found.index));
    parts.push(parseMacro(found, text));
    end = found.index + found[0].length;
  }
  if (end < text.length) parts.push(text.slice(end));
  return parts;
}

const hasMacros = (parts: readonly TemplatePart[]): boolean => parts.some((part) => typeof part === "function");

/** Fills in a template; `escape` applies to the values only, never to the template's own text. */
export function expand(
  parts: readonly TemplatePart[],
  query: TemplateValues,
  escape: (value: string) => string = (value) => value,
): string {
  let text = "";
  for (const part of parts) text += typeof part === "string" ? part : escape(part(query));
  return text;
}

const tokens = /%(?:%|s|([LURT]*)\{([^}]*)\})/g;

/** Whether the text contains one of these macros; `%s` is `user`. Escaped percent signs do not count. */
export function usesMacro(text: string, names: ReadonlySet<string>): boolean {
  return [...text.matchAll(tokens)].some(([token, , name = ""]) => names.has(token === "%s" ? "user" : name));
}

/**
 * A template that is filled in before the user is found. Throws `CONFIG_INVALID` if it needs values that are not known
 * yet.
 */
export function beforeUserIsFound(text: string): string {
  const [tooEarly] = /%[LURT]*\{(?:user_dn|account)\}/.exec(text) ?? [];
  if (tooEarly === undefined) return text;
  throw new AppError("CONFIG_INVALID", {
    detail: `macro ${tooEarly} in ${JSON.stringify(text)} is available in group filters only`,
  });
}

import { AppError } from "@postern/shared/platform/errors";

/** An RFC 4515 filter as a tree. Values are still text with escapes and macros. */
export type FilterNode =
  | { readonly kind: "and" | "or"; readonly children: readonly FilterNode[] }
  | { readonly kind: "not"; readonly child: FilterNode }
  | { readonly kind: "present"; readonly attribute: string }
  | ComparisonNode
  | { readonly kind: "substring"; readonly attribute: string; readonly pieces: readonly string[] }
  | {
      readonly kind: "extensible";
      readonly attribute: string;
      readonly rule: string;
      readonly dnAttributes: boolean;
      readonly value: string;
    };

export interface ComparisonNode {
  readonly kind: "equal" | "approximate" | "atLeast" | "atMost";
  readonly attribute: string;
  readonly value: string;
}

const maxLength = 8192;
const maxDepth = 32;
const attributeName = /^(?:[a-z][a-z0-9_-]*|\d+(?:\.\d+)+)(?:;[a-z0-9-]+)*$/i;
const kinds: Readonly<Record<string, ComparisonNode["kind"]>> = {
  "=": "equal",
  "~=": "approximate",
  ">=": "atLeast",
  "<=": "atMost",
};

/**
 * Parses a filter template. White space between components is allowed, because people write filters over several lines.
 * Throws `CONFIG_INVALID` with the position.
 */
export function parseFilter(text: string): FilterNode {
  let at = 0;

  const fail = (why: string): AppError =>
    new AppError("CONFIG_INVALID", { detail: `LDAP filter ${JSON.stringify(text)}: ${why} at character ${at + 1}` });

  const skipSpace = (): void => {
    while (/\s/.test(text.charAt(at))) at += 1;
  };

  const take = (char: string): void => {
    skipSpace();
    if (text[at] !== char) throw fail(`expected ${JSON.stringify(char)}`);
    at += 1;
  };

  const parseItem = (): FilterNode => {
    const item = /[^()]*/y;
    item.lastIndex = at;
    const found = item.exec(text)?.[0] ?? "";
    const node = parseAssertion(found.trimStart(), fail);
    at += found.length;
    return node;
  };

  const parseChildren = (depth: number): FilterNode[] => {
    const children: FilterNode[] = [];
    for (skipSpace(); text[at] === "("; skipSpace()) children.push(parseNode(depth + 1));
    if (children.length === 0) throw fail("expected a component");
    return children;
  };

  const parseNode = (depth: number): FilterNode => {
    if (depth > maxDepth) throw fail("nested too deeply");
    take("(");
    skipSpace();
    const node = parseComponent(depth);
    take(")");
    return node;
  };

  const parseComponent = (depth: number): FilterNode => {
    const operator = text[at];
    if (operator !== "&" && operator !== "|" && operator !== "!") return parseItem();
    at += 1;
    if (operator === "!") return { kind: "not", child: parseNode(depth + 1) };
    return { kind: operator === "&" ? "and" : "or", children: parseChildren(depth) };
  };

  if (text.length > maxLength) throw fail("too long");
  skipSpace();
  const root = text[at] === "(" ? parseNode(0) : parseItem();
  skipSpace();
  if (at < text.length) throw fail("unexpected text");
  return root;
}

function parseAssertion(item: string, fail: (why: string) => AppError): FilterNode {
  const extensible = /^([^:=~<>]*?)(:dn)?(?::([^:=]+))?:=(.*)$/is.exec(item);
  if (extensible !== null) return parseExtensible(extensible, fail);
  const [, attribute = "", operator = "", value = ""] = /^([^=~<>]*?)\s*([~<>]?=)(.*)$/s.exec(item) ?? [];
  if (!attributeName.test(attribute)) throw fail("expected an attribute name (macros are allowed in values only)");
  const kind = kinds[operator] ?? "equal";
  if (kind === "equal" && value === "*") return { kind: "present", attribute };
  return value.includes("*") ? parsePattern({ kind, attribute, value }, fail) : { kind, attribute, value };
}

function parsePattern({ kind, attribute, value }: ComparisonNode, fail: (why: string) => AppError): FilterNode {
  if (kind !== "equal") throw fail("* is not allowed in this comparison");
  const pieces = value.split("*");
  if (pieces.slice(1, -1).includes("")) throw fail("two consecutive *");
  return { kind: "substring", attribute, pieces };
}

function parseExtensible(found: RegExpExecArray, fail: (why: string) => AppError): FilterNode {
  const [, attribute = "", dn, rule = "", value = ""] = found;
  if (attribute !== "" && !attributeName.test(attribute)) throw fail("expected an attribute name");
  if (rule !== "" && !attributeName.test(rule)) throw fail("expected a matching rule");
  if (attribute === "" && rule === "") throw fail("expected an attribute name or a matching rule");
  if (value.includes("*")) throw fail("* is not allowed in this comparison");
  return { kind: "extensible", attribute, rule, dnAttributes: dn !== undefined, value };
}

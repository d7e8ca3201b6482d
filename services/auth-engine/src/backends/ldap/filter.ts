import { AppError } from "@postern/shared/platform/errors";
import {
  AndFilter,
  ApproximateFilter,
  EqualityFilter,
  ExtensibleFilter,
  type Filter,
  GreaterThanEqualsFilter,
  LessThanEqualsFilter,
  NotFilter,
  OrFilter,
  PresenceFilter,
  SubstringFilter,
} from "ldapts";
import { type ComparisonNode, type FilterNode, parseFilter } from "./filter-parser.ts";
import { expand, parseTemplate, type TemplateValues } from "./macros.ts";

type Build<T> = (query: TemplateValues) => T;

/**
 * Compiles a filter template. The template is parsed once, and a request's values only fill the leaves of the tree, so
 * no name can change the filter's structure. `toString` of the result is RFC 4515 text with escaped values. Throws
 * `CONFIG_INVALID` at compile time only.
 */
export function compileFilter(template: string): Build<Filter> {
  return compileNode(parseFilter(template));
}

function compileNode(node: FilterNode): Build<Filter> {
  switch (node.kind) {
    case "and":
    case "or": {
      const children = node.children.map((child) => compileNode(child));
      const build = (query: TemplateValues): Filter[] => children.map((child) => child(query));
      return node.kind === "and"
        ? (query) => new AndFilter({ filters: build(query) })
        : (query) => new OrFilter({ filters: build(query) });
    }
    case "not": {
      const child = compileNode(node.child);
      return (query) => new NotFilter({ filter: child(query) });
    }
    case "present": {
      const filter = new PresenceFilter({ attribute: node.attribute });
      return () => filter;
    }
    case "substring":
      return compileSubstring(node.attribute, node.pieces);
    case "extensible": {
      const { attribute: matchType, rule, dnAttributes } = node;
      const value = compileValue(node.value);
      return (query) => new ExtensibleFilter({ matchType, rule, dnAttributes, value: value(query) });
    }
    case "equal":
    case "approximate":
    case "atLeast":
    case "atMost":
      return compileComparison(node);
    default:
      return node satisfies never;
  }
}

const comparisons = {
  equal: (attribute: string, value: string): Filter => new EqualityFilter({ attribute, value }),
  approximate: (attribute: string, value: string): Filter => new ApproximateFilter({ attribute, value }),
  atLeast: (attribute: string, value: string): Filter => new GreaterThanEqualsFilter({ attribute, value }),
  atMost: (attribute: string, value: string): Filter => new LessThanEqualsFilter({ attribute, value }),
};

function compileComparison(node: ComparisonNode): Build<Filter> {
  const compare = comparisons[node.kind];
  const value = compileValue(node.value);
  return (query) => compare(node.attribute, value(query));
}

/**
 * A piece that a macro leaves empty would widen the pattern (`mail=*%{domain}` would match all users), so the whole
 * component then compares with the empty value, which no entry has.
 */
function compileSubstring(attribute: string, pieces: readonly string[]): Build<Filter> {
  const values = pieces.map((piece) => compileValue(piece));
  const last = pieces.length - 1;
  return (query) => {
    const filled = values.map((value) => value(query));
    if (filled.some((value, index) => value === "" && pieces[index] !== "")) {
      return new EqualityFilter({ attribute, value: "" });
    }
    return new SubstringFilter({
      attribute,
      initial: filled[0] ?? "",
      any: filled.slice(1, last),
      final: filled[last] ?? "",
    });
  };
}

function compileValue(raw: string): Build<string> {
  const parts = parseTemplate(raw).map((part) => (typeof part === "string" ? unescapeValue(part) : part));
  const [only] = parts;
  if (parts.length === 1 && typeof only === "string") return () => only;
  return (query) => expand(parts, query);
}

/** RFC 4515 `\hh`: bytes of UTF-8. */
function unescapeValue(text: string): string {
  if (!text.includes("\\")) return text;
  if (/\\(?![0-9a-f]{2})/i.test(text)) {
    throw new AppError("CONFIG_INVALID", {
      detail: `LDAP filter value ${JSON.stringify(text)}: \\ needs two hex digits`,
    });
  }
  return text.replaceAll(/(?:\\[0-9a-f]{2})+/gi, (run) => decodeRun(run, text));
}

function decodeRun(run: string, text: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(
      Buffer.from(run.replaceAll("\\", ""), "hex"),
    );
  } catch (cause) {
    throw new AppError("CONFIG_INVALID", { detail: `LDAP filter value ${JSON.stringify(text)} is not UTF-8`, cause });
  }
}

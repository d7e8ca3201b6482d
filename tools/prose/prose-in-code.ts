import { parseSync } from "rolldown/utils";
import { luaComments, type Part } from "./lua-comments.ts";

/** A comment, a test's name or a message, with the line on which it begins. */
export interface CodeText {
  readonly line: number;
  readonly text: string;
}

type Node = Readonly<Record<string, unknown>> & { readonly type: string; readonly start: number; readonly end: number };

const testFunctions: ReadonlySet<unknown> = new Set(["test", "describe", "it"]);
const logMethods: ReadonlySet<unknown> = new Set(["trace", "debug", "info", "warn", "error", "fatal"]);
const errorClass = /Error$/u;

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && "type" in value && "start" in value;
}

function childrenOf(node: Node): readonly Node[] {
  return Object.values(node).flat().filter(isNode);
}

/** `test` of `test(…)`, `test.each(…)(…)` and `test.skip(…)`. */
function rootName(callee: unknown): unknown {
  if (!isNode(callee)) return undefined;
  const inner = callee["callee"] ?? callee["object"] ?? callee["tag"];
  return inner === undefined ? callee["name"] : rootName(inner);
}

function isMessageOrTestName(node: Node): boolean {
  const { type, callee } = node;
  if (!isNode(callee)) return false;
  if (type === "NewExpression") return errorClass.test(String(callee["name"]));
  if (type !== "CallExpression") return false;
  if (testFunctions.has(rootName(callee))) return true;
  return isNode(callee["property"]) && logMethods.has(callee["property"]["name"]);
}

/** Strings and templates among the arguments of a call, also inside objects and rows of `test.each`, but not inside functions. */
function stringsIn(node: Node): readonly Node[] {
  if (node.type === "Literal") return typeof node["value"] === "string" ? [node] : [];
  if (node.type === "TemplateLiteral") return [node];
  const holdsStrings = ["ArrayExpression", "ObjectExpression", "Property", "ConditionalExpression", "TSAsExpression"];
  return holdsStrings.includes(node.type) ? childrenOf(node).flatMap(stringsIn) : [];
}

function messagesIn(node: Node): readonly Node[] {
  const { arguments: args } = node;
  const own = isMessageOrTestName(node) && Array.isArray(args) ? args.filter(isNode).flatMap(stringsIn) : [];
  return [...own, ...childrenOf(node).flatMap(messagesIn)];
}

/** Joins line comments on consecutive lines, so that a phrase is found across them. */
function joined(source: string, comments: readonly Part[]): readonly Part[] {
  const parts: Part[] = [];
  for (const { start, end } of comments) {
    const last = parts.at(-1);
    const continues = last !== undefined && /^\n[ \t]*$/u.test(source.slice(last.end, start));
    parts.push(continues ? { start: parts.pop()?.start ?? start, end } : { start, end });
  }
  return parts;
}

/** In one line, without comment marks and without code in backticks. */
function proseOf(text: string): string {
  const prose = text.startsWith("`") ? text : text.replaceAll(/`[^`\n]*`/gu, "");
  return prose.replaceAll(/\s*\n\s*(?:\/\/|\*|--)?\s*/gu, " ");
}

function partsOf(file: string, source: string): readonly Part[] {
  if (file.endsWith(".lua")) return joined(source, luaComments(source));
  const { comments, program } = parseSync(file, source);
  return [...joined(source, comments), ...messagesIn({ ...program })];
}

/** The prose of a file: the comments and, in TypeScript, the names of tests and the log and error messages. */
export function proseIn(file: string, source: string): readonly CodeText[] {
  return partsOf(file, source).map(({ start, end }) => ({
    line: source.slice(0, start).split("\n").length,
    text: proseOf(source.slice(start, end)),
  }));
}

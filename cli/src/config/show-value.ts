import { longestTimerMs } from "@postern/shared/platform/config";
import type { LeafNode } from "@postern/shared/platform/config/tree";
import { formatDuration } from "@postern/shared/platform/time";

/** A value as a file would spell it, in one line of YAML. */
export function showValue(node: Pick<LeafNode, "type">, value: unknown): string {
  if (node.type === "duration" && typeof value === "number") return value === 0 ? "0s" : formatDuration(value);
  return JSON.stringify(value) ?? "";
}

const typeNames = {
  text: "string",
  scalar: "string, number, true or false",
  flag: "true or false",
  integer: "whole number",
  number: "number",
  duration: "duration",
  choice: "choice",
  texts: "list of strings",
  structure: "mapping",
} as const;

/** The kind of value for people: `whole number, 1 to 100 tokens/s`, `one of ttl, lru`. */
export function showType(node: LeafNode): string {
  const name =
    node.type === "choice" ? `one of ${node.choices.map((choice) => choice || '""').join(", ")}` : typeNames[node.type];
  const bounds = showBounds(node);
  return bounds === "" ? name : `${name}, ${bounds}`;
}

/** The bounds of a text, where it has any; a text that must be set is shown so by its missing default. */
function showLengths({ minLength = 0, maxLength, default: value }: LeafNode): string {
  if (minLength > 1 || maxLength !== undefined) return range(minLength === 1 ? 0 : minLength, maxLength, "characters");
  return minLength === 1 && value !== undefined ? "not empty" : "";
}

function showDurations({ minimum = 0, maximum }: LeafNode): string {
  return range(minimum, maximum === longestTimerMs ? undefined : maximum, undefined, formatDuration);
}

/** `1 to 100 tokens/s`, `at least 16 characters`, `not empty`; nothing where any value will do. */
function showBounds(node: LeafNode): string {
  const { minimum = 0, maximum, minItems = 0, unit } = node;
  if (node.type === "text") return showLengths(node);
  if (node.type === "texts") return minItems > 0 ? "not empty" : "";
  if (node.type === "duration") return showDurations(node);
  return range(minimum, maximum, unit) || (unit ?? "");
}

function range(
  minimum: number,
  maximum: number | undefined,
  unit: string | undefined,
  show: (value: number) => string = String,
): string {
  const after = unit === undefined ? "" : ` ${unit}`;
  if (maximum === undefined) return minimum === 0 ? "" : `at least ${show(minimum)}${after}`;
  return minimum === 0 ? `at most ${show(maximum)}${after}` : `${show(minimum)} to ${show(maximum)}${after}`;
}

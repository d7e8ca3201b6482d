import { formatDuration } from "../../time/duration.ts";
import type { LeafNode } from "../tree/node.ts";

/** A value as a file would spell it, in one line of YAML. */
export function showValue(node: Pick<LeafNode, "type">, value: unknown): string {
  if (node.type === "duration" && typeof value === "number") return formatDuration(value);
  return JSON.stringify(value) ?? "";
}

const typeNames = {
  text: "text",
  flag: "true or false",
  integer: "whole number",
  number: "number",
  duration: "duration",
  choice: "choice",
  texts: "list of texts",
  structure: "mapping",
} as const;

/** The kind of value for people: `whole number, tokens/s`, `one of ttl, lru`. */
export function showType(node: LeafNode): string {
  const name =
    node.type === "choice" ? `one of ${node.choices.map((choice) => choice || '""').join(", ")}` : typeNames[node.type];
  return node.unit === undefined ? name : `${name}, ${node.unit}`;
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** The space-separated words of a text, without duplicates. */
export function wordsOf(value: unknown): readonly string[] {
  return typeof value === "string" ? [...new Set(value.split(" ").filter((word) => word !== ""))] : [];
}

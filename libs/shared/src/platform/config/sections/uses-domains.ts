import type { Config } from "./root.ts";

/** Whether any domain has rules of its own. */
export function usesDomains({ auth }: Config): boolean {
  const { records, source } = auth.domains;
  return records.length > 0 || source.kind !== "none";
}

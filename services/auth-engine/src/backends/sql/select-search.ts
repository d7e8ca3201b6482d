import type { SqlSearchSettings } from "./sql-settings.ts";

/** The search that lists the protocol, else the one for `*`, else undefined. */
export function selectSearch(searches: readonly SqlSearchSettings[], protocol: string): SqlSearchSettings | undefined {
  return (
    searches.find(({ protocols }) => protocols.includes(protocol)) ??
    searches.find(({ protocols }) => protocols.includes("*"))
  );
}

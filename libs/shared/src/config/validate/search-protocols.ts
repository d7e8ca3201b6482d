import { messages } from "../messages.ts";
import type { Judgement } from "./judgement.ts";

interface Search {
  readonly protocol: readonly string[];
  readonly pool_name: string;
}

/** Within one pool a protocol belongs to one entry: the second would never be asked. */
export function validateProtocols(
  root: string,
  searches: readonly Search[],
  { pool, judgement }: { readonly pool: string; readonly judgement: Judgement },
): void {
  const seen = new Set<string>();
  searches.forEach((search, index) => {
    if (search.pool_name !== pool) return;
    const twice = search.protocol.find((protocol) => seen.has(protocol.toLowerCase()));
    if (twice !== undefined) judgement.problem(`${root}.search[${index}].protocol`, messages.protocolTwice(twice));
    for (const protocol of search.protocol) seen.add(protocol.toLowerCase());
  });
}

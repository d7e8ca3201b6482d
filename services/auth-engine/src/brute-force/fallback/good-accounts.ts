import { createBoundedCache } from "@postern/shared/platform/cache";

const maxEntries = 65_536;

/** Distinct accounts by network; all networks together are bounded. */
export function createGoodAccounts() {
  const counts = new Map<string, number>();
  const change = (network: string, by: number): void => {
    const count = (counts.get(network) ?? 0) + by;
    if (count > 0) counts.set(network, count);
    else counts.delete(network);
  };
  const seen = createBoundedCache<string>({ maxEntries, evict: "oldest", onEvict: (network) => change(network, -1) });
  return {
    add: (network: string, account: string): void => {
      const key = `${network} ${account}`;
      if (seen.get(key) !== undefined) return;
      seen.set(key, network);
      change(network, 1);
    },
    countOf: (network: string): number => counts.get(network) ?? 0,
  };
}

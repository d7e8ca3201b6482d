const hourMs = 3_600_000;
/** More than the mailboxes of an office that one mistake bans. */
const namesPerNetwork = 256;
const maxNetworks = 4096;

/**
 * How many names one banned network may have recorded in an hour: without a bound, a guesser in one network would displace the names of
 * everybody else's customers.
 */
export function createRefusedShare() {
  const byNetwork = new Map<string, Set<string>>();
  let hour = 0;
  return {
    admits(network: string, name: string, nowMs: number): boolean {
      const now = Math.floor(nowMs / hourMs);
      if (now !== hour) byNetwork.clear();
      hour = now;
      const names = byNetwork.get(network) ?? new Set();
      if (names.has(name)) return true;
      if (names.size >= namesPerNetwork) return false;
      if (names.size === 0) {
        if (byNetwork.size >= maxNetworks) return false;
        byNetwork.set(network, names);
      }
      names.add(name);
      return true;
    },
  };
}

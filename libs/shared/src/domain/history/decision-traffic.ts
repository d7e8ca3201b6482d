import { knownNetworkOf } from "../brute-force/index.ts";
import { type DecisionBatch, type DecisionNote, type FailureKind, failureKinds } from "./decision-record.ts";

/** Counts are written together after this time. */
const takenMs = 10_000;
const maxFailing = 4096;
/** Above this number of failing networks in a batch, those with one failure are not listed: a botnet's would displace all others. */
const manyNetworks = 128;

type Failing = Readonly<Record<FailureKind, Map<string, number>>>;

const newFailing = (): Failing => ({ counted: new Map(), repeated: new Map(), refused: new Map() });

function kindOf({ outcome, isRepeated }: DecisionNote): FailureKind {
  if (outcome === "blocked") return "refused";
  return isRepeated === true ? "repeated" : "counted";
}

function byNetwork(addresses: ReadonlyMap<string, number>): readonly (readonly [network: string, count: number])[] {
  const networks = new Map<string, number>();
  for (const [address, count] of addresses) {
    const network = knownNetworkOf(address);
    if (network !== undefined) networks.set(network, (networks.get(network) ?? 0) + count);
  }
  return networks.size <= manyNetworks ? [...networks] : [...networks].filter(([, count]) => count > 1);
}

/** Counts decisions by minute and outcome, and failures by network. */
export function createTraffic() {
  let counts = new Map<string, number>();
  let failing = newFailing();
  let minute = 0;
  let fields: Readonly<Record<string, string>> = {};
  let lastMs = 0;
  return {
    note: (note: DecisionNote): void => {
      const { timeMs, outcome, clientIp } = note;
      const now = Math.floor(timeMs / 60_000);
      if (now !== minute) {
        minute = now;
        fields = { ok: `${now}:ok`, denied: `${now}:denied`, blocked: `${now}:blocked`, undecided: `${now}:undecided` };
      }
      const field = fields[outcome] ?? "";
      counts.set(field, (counts.get(field) ?? 0) + 1);
      if (outcome !== "denied" && outcome !== "blocked") return;
      const addresses = failing[kindOf(note)];
      if (addresses.has(clientIp) || addresses.size < maxFailing)
        addresses.set(clientIp, (addresses.get(clientIp) ?? 0) + 1);
    },
    /** Empty until the counts are due. */
    take: (nowMs: number, isLast: boolean): Pick<DecisionBatch, "traffic" | "failingNetworks"> => {
      if (counts.size === 0 || (!isLast && nowMs - lastMs < takenMs)) return { traffic: [], failingNetworks: [] };
      lastMs = nowMs;
      const failingNetworks = failureKinds.flatMap((kind) =>
        byNetwork(failing[kind]).map(([network, count]) => [network, count, kind] as const),
      );
      const taken = { traffic: [...counts], failingNetworks };
      counts = new Map();
      failing = newFailing();
      return taken;
    },
  };
}

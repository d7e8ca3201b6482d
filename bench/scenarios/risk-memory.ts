import { measureFacts } from "../../test/long/risk/redis-memory.ts";

const accounts = 1_000_000;
const bytesPerGb = 1e9;

/** GB of Redis for the facts about the sign-ins of a million accounts, as long as those of the simulator. */
export async function measureRiskMemory(): Promise<number> {
  const { bytes, values } = await measureFacts(accounts);
  if (values !== accounts) throw new Error(`Redis has ${values} of ${accounts} values`);
  return bytes / bytesPerGb;
}

import { randomInt } from "node:crypto";
import { accountWideKeys } from "@postern/shared/domain/brute-force";
import { accountElsewhereKey, defineScript, defineVariableScript } from "@postern/shared/platform/redis";
import { createBatched } from "./batched.ts";
import type { AccountDelaySettings } from "./brute-force-settings.ts";
import countAccountFailuresLua from "./scripts/count-account-failures.lua?raw";
import knowsNetworkLua from "./scripts/knows-network.lua?raw";
import noteNetworkLua from "./scripts/note-network.lua?raw";
import type { CountedAccount, NetworkNote, RedisParts } from "./shared-store.ts";

/** Result of counting a failure, over all networks. */
export interface AccountCount {
  /** Distinct wrong passwords of the account within the window. */
  readonly failures: number;
  /** Whether this password is new for the account. */
  readonly isNew: boolean;
  /** Whether the account signed in from this network recently. */
  readonly knowsSource: boolean;
}

export interface AccountFailure {
  readonly target: CountedAccount;
  readonly digest: string;
  /** Number of failures that was read with the bans; absent if it matters whether the password is new. */
  readonly read?: number | undefined;
}

interface SignIn {
  readonly known: string;
  readonly network: string;
}

const countAccountFailures = { name: "countAccountFailures", lua: countAccountFailuresLua };
const knowsNetwork = {
  name: "knowsNetwork",
  lua: knowsNetworkLua,
  keys: ["knownKey"],
  args: ["network", "knownSeconds"],
} as const;

const noteNetwork = { name: "noteNetwork", lua: noteNetworkLua };

/** The longest delay is reached with far fewer. */
const maxDigests = 64;
const maxNetworks = 32;
/** Networks are trimmed after one of so many new ones, because a command costs more than a few networks. */
const trimmedOnceIn = 8;
const trim = (): number => (randomInt(trimmedOnceIn) === 0 ? 1 : 0);
const maxAtOnce = 32;
const keysOfAccount = 3;

/** The replies of `note-network.lua`. */
function readNoted(answer: unknown): readonly (true | Error)[] {
  if (!Array.isArray(answer)) throw new TypeError("the script of networks did not return a list");
  return answer.map((noted: unknown) => noted === 1 || new Error(String(noted)));
}

/** One reply of `count-account-failures.lua`: failures, whether the password is new, whether the network is known. */
function readCount(answer: unknown): AccountCount | Error {
  if (typeof answer === "string") return new Error(answer);
  if (!Array.isArray(answer)) throw new TypeError("the script of account failures did not return a list");
  const [failures, isNew, knows] = answer.map(Number);
  return { failures: failures ?? 0, isNew: isNew === 1, knowsSource: knows === 1 };
}

interface AccountStoreDeps extends RedisParts {
  readonly keyPrefix: string;
  readonly settings: AccountDelaySettings;
}

/** Other regions add new failures of these accounts to their own. */
function markChanged(
  { marks }: Pick<AccountStoreDeps, "marks">,
  failed: readonly AccountFailure[],
  counts: readonly (AccountCount | Error)[],
): void {
  const isNew = (count: AccountCount | Error | undefined): boolean =>
    count !== undefined && !(count instanceof Error) && count.isNew;
  const changed = failed.filter((_one, index) => isNew(counts[index]));
  marks?.markSoon(changed.map(({ target }) => ({ account: target.username })));
}

/** Counts failures of accounts. */
export const accountFailuresScript = countAccountFailures;

/** Failures of one turn of the event loop are one call. On a cluster each failure is its own, as accounts have different slots. */
export function createAccountStore(deps: AccountStoreDeps) {
  const { redis, keyPrefix, guard, settings, clock, marks } = deps;
  const keysEach = marks === undefined ? keysOfAccount : keysOfAccount + 1;
  const { runCount = defineVariableScript(redis, countAccountFailures, redis.isCluster ? keysEach : undefined) } = deps;
  const runKnows = defineScript(redis, knowsNetwork);
  const knownSeconds = Math.ceil(settings.knownForMs / 1000);
  const start = [settings.windowMs, maxDigests, settings.failures, knownSeconds, 2 * settings.failures];
  const countAll = async (failed: readonly AccountFailure[]): Promise<readonly (AccountCount | Error)[]> => {
    const keys: string[] = [];
    const args: (string | number)[] = [...start, Math.round(clock.now())];
    for (const { target, digest, read = 0 } of failed) {
      keys.push(target.keys.failures, target.keys.delayed, target.keys.known);
      if (marks !== undefined) keys.push(accountElsewhereKey.build(keyPrefix, target.keys.user));
      args.push(digest, target.source.network ?? "", read);
    }
    const answers = await runCount(keys, args);
    deps.tracked?.forget(failed.map(({ target }) => target.keys.delayed));
    if (!Array.isArray(answers)) throw new TypeError("the script of account failures did not return a list");
    const counts = answers.map(readCount);
    markChanged(deps, failed, counts);
    return counts;
  };
  const runNote = defineVariableScript(redis, noteNetwork, redis.isCluster ? 1 : undefined);
  const nowSeconds = (): number => Math.floor(clock.now() / 1000);
  const noteAll = async (signIns: readonly SignIn[]): Promise<readonly (true | Error)[]> => {
    const args = signIns.flatMap(({ network }) => [network, trim()]);
    const keys = signIns.map(({ known }) => known);
    const noted = readNoted(await runNote(keys, [nowSeconds(), knownSeconds, maxNetworks, ...args]));
    // Redis is out of memory, or no longer the master: every note has the same error.
    const [failed] = noted;
    if (failed instanceof Error && noted.every((one) => one instanceof Error)) throw failed;
    return noted;
  };
  const note = createBatched((signIns: readonly SignIn[]) => guard.run(() => noteAll(signIns)), {
    maxBatchSize: redis.isCluster ? 1 : maxAtOnce,
  });
  return {
    /** Rejects if this failure could not be counted but others could. */
    count: createBatched((failed: readonly AccountFailure[]) => guard.run(() => countAll(failed)), {
      maxBatchSize: redis.isCluster ? 1 : maxAtOnce,
      gathersBehind: !redis.isCluster,
    }),
    /** Whether the account signed in from this network recently. */
    knowsNetwork: (account: string, network: string): Promise<boolean | undefined> =>
      guard.run(async () => {
        const { known } = accountWideKeys(keyPrefix, account);
        return (await runKnows({ knownKey: known }, { network, knownSeconds })) === 1;
      }),
    /** Records that the account signed in from this network. About 32 of the latest networks are kept; readers ignore those that are too old. */
    noteNetwork: (account: string, network: string): Promise<boolean | undefined> =>
      note({ known: accountWideKeys(keyPrefix, account).known, network }),
    /** The sign-ins of these names have been noted: other regions read them. */
    shareNetworks: (accounts: readonly string[]): void => marks?.markSoon(accounts.map((knownTo) => ({ knownTo }))),
    /** The sign-in under these names of the account. */
    noteFor: (accounts: readonly string[], network: string): NetworkNote => ({
      keys: accounts.map((account) => accountWideKeys(keyPrefix, account).known),
      args: [network, nowSeconds(), knownSeconds, maxNetworks, trim()],
    }),
  };
}

/** Counts failures of accounts over all networks, in Redis. Returns undefined while Redis is unavailable. */
export type AccountStore = ReturnType<typeof createAccountStore>;

import { accountWideKeys } from "@postern/shared/domain/brute-force";
import { describe, expect, test } from "vitest";
import { type AccountDelays, createAccountDelays } from "./account-delays.ts";
import type { AccountStore } from "./account-store-redis.ts";
import type { AccountDelaySettings } from "./brute-force-settings.ts";
import type { CountedAccount } from "./shared-store.ts";

const failures = 5;
const windowMs = 3_600_000;
const settings: AccountDelaySettings = {
  failures,
  windowMs,
  maxDelayMs: 5000,
  maxDelayWithoutClientMs: 1000,
  knownForMs: windowMs,
  knownEverywhere: undefined,
};
const network = "192.0.2.0/24";

/** A store that records, by name, the counts, known networks and lookups of the account delays. Sets replace its counters. */
function createRecorder() {
  const digests = new Map<string, Set<string>>();
  const noted = new Set<string>();
  const lookedUp: string[] = [];
  const store: AccountStore = {
    count: async ({ target: { username, source }, digest }) => {
      const seen = digests.get(username) ?? new Set();
      digests.set(username, seen);
      const isNew = !seen.has(digest);
      seen.add(digest);
      return { failures: seen.size, isNew, knowsSource: noted.has(`${username} ${source.network}`) };
    },
    knowsNetwork: async (account, from) => {
      lookedUp.push(account);
      return noted.has(`${account} ${from}`);
    },
    noteNetwork: async (account, from) => {
      noted.add(`${account} ${from}`);
      return true;
    },
    shareNetworks: () => undefined,
    noteFor: () => ({ keys: [], args: ["", 0, 0, 0, 0] }),
  };
  return { store, digests, noted, lookedUp };
}

function startDelays() {
  const recorder = createRecorder();
  let nowMs = 1_000_000_000;
  const accountDelays = createAccountDelays({
    settings,
    store: recorder.store,
    clock: { now: () => nowMs },
    delayed: () => undefined,
  });
  const pass = (ms: number): void => {
    nowMs += ms;
  };
  return { accountDelays, pass, ...recorder };
}

const at = (username: string, from: string | undefined = network): CountedAccount => ({
  username,
  keys: accountWideKeys("p", username),
  source: { network: from, isTrusted: false },
});

const guess = (accountDelays: AccountDelays, username: string, digest: string, account?: string) =>
  accountDelays.count({ target: at(username), digest, isKnown: account !== undefined, account });

describe("a login name that differs from the account's name", () => {
  test("is not delayed because of guesses at the account, which would reveal that both names exist", async () => {
    const { accountDelays } = startDelays();
    for (let index = 0; index < 2 * failures; index += 1) await guess(accountDelays, "alice", `d${index}`, "alice");
    expect((await guess(accountDelays, "a.alice", "first", "alice"))?.accountDelayMs).toBe(0);
    expect((await guess(accountDelays, "nobody", "first"))?.accountDelayMs).toBe(0);
  });

  test("is delayed after the same number of guesses as an unknown name", async () => {
    const { accountDelays } = startDelays();
    const delaysOf = async (name: string, account?: string) => {
      const delays: (number | undefined)[] = [];
      for (let index = 0; index < 2 * failures; index += 1) {
        delays.push((await guess(accountDelays, name, `d${index}`, account))?.accountDelayMs);
      }
      return delays;
    };
    const ofNobody = await delaysOf("nobody");
    expect(await delaysOf("a.alice", "alice")).toEqual(ofNobody);
    expect(await delaysOf("alice", "alice")).toEqual(ofNobody);
    expect(ofNobody.at(-1)).toBe(settings.maxDelayMs);
  });

  test("a sign-in by this name makes its network known for this name and for the account's name", async () => {
    const { accountDelays, noted } = startDelays();
    accountDelays.noteSignIn("Alice", at("a.alice"));
    await expect.poll(() => [...noted].toSorted()).toEqual([`a.alice ${network}`, `alice ${network}`]);
    expect(await accountDelays.ofSuccess("Alice", at("a.alice"), 2 * failures)).toBe(0);
    expect(await accountDelays.ofSuccess("Alice", at("alice"), 2 * failures)).toBe(0);
    // A correct password by another alias: the account knows the network.
    expect(await accountDelays.ofSuccess("Alice", at("al"), 2 * failures)).toBe(0);
    expect(await accountDelays.ofSuccess("Alice", at("al", "198.51.100.0/24"), 2 * failures)).toBe(settings.maxDelayMs);
  });

  test("a network that is known locally is not looked up in Redis during an attack until the local record expires", async () => {
    const { accountDelays, pass, noted, lookedUp } = startDelays();
    const accountDelayMs = async () => accountDelays.ofSuccess("alice", at("alice"), 2 * failures);
    accountDelays.noteSignIn("alice", at("alice"));
    await expect.poll(async () => (await accountDelayMs(), lookedUp.splice(0))).toEqual([]);
    expect(await accountDelayMs()).toBe(0);
    expect(lookedUp).toEqual([]);
    expect(await accountDelays.ofSuccess("alice", at("alice", "198.51.100.0/24"), 2 * failures)).toBe(
      settings.maxDelayMs,
    );
    expect(await accountDelays.ofSuccess("bob", at("alice"), 2 * failures)).toBe(0);
    expect(lookedUp).toEqual(["alice", "bob", "alice"]);
    pass(windowMs / 2);
    noted.clear();
    expect(await accountDelayMs()).toBe(settings.maxDelayMs);
  });

  test("one account makes only a limited number of names known", async () => {
    const { accountDelays, noted } = startDelays();
    for (let index = 0; index < 200; index += 1) accountDelays.noteSignIn("alice", at(`alice+${index}`));
    await expect.poll(() => noted.has(`alice ${network}`)).toBe(true);
    expect(noted.size).toBeLessThanOrEqual(17);
  });
});

describe("names that an attacker chooses", () => {
  const maxNames = 20_000;

  test.each([
    ["unknown names", undefined],
    ["names of one account", "alice"],
  ])("%s are counted in Redis up to a limit", async (_which, account) => {
    const { accountDelays, digests, pass } = startDelays();
    for (let index = 0; index < maxNames + 500; index += 1) await guess(accountDelays, `name-${index}`, "d", account);
    expect(digests.size).toBe(maxNames);
    // The account's own name does not count towards the limit.
    await guess(accountDelays, "alice", "d", "alice");
    expect(digests.has("alice")).toBe(true);
    pass(windowMs);
    await guess(accountDelays, "later", "d", account);
    expect(digests.has("later")).toBe(true);
  });

  test("beyond the limit they are counted in memory and delayed in the same way", async () => {
    const { accountDelays, digests, pass } = startDelays();
    for (let index = 0; index < maxNames; index += 1) await guess(accountDelays, `name-${index}`, "d");
    const delays: (number | undefined)[] = [];
    for (let index = 0; index < 2 * failures; index += 1) {
      delays.push((await guess(accountDelays, "nobody", `d${index}`))?.accountDelayMs);
    }
    expect(digests.has("nobody")).toBe(false);
    expect(delays.slice(0, failures)).toEqual([0, 0, 0, 0, settings.maxDelayMs / failures]);
    expect(delays.at(-1)).toBe(settings.maxDelayMs);
    expect(await guess(accountDelays, "nobody", "d0")).toMatchObject({ isNew: false, failures: 2 * failures });
    // A sign-in with the correct password by such a name is delayed too.
    expect(await accountDelays.ofSuccess("alice", at("nobody"), 0)).toBe(settings.maxDelayMs);
    expect(await accountDelays.ofSuccess("alice", at("other"), 0)).toBe(0);
    pass(windowMs);
    expect(await accountDelays.ofSuccess("alice", at("nobody"), 0)).toBe(0);
  });
});

const hiding = (username: string, from: string): CountedAccount => ({ ...at(username, from), hidesOutcome: true });

describe("if the response must not reveal whether the password was correct", () => {
  test("a wrong password is delayed as long as a correct one, at every count", async () => {
    const { accountDelays } = startDelays();
    for (let before = 0; before <= 2 * failures; before += 1) {
      const target = hiding("alice", "198.51.100.0/24");
      const counted = before < failures ? 0 : before;
      const right = await accountDelays.ofSuccess("alice", target, counted);
      const digest = `d${before}`;
      const wrong = await accountDelays.count({
        target,
        digest,
        isKnown: true,
        account: "alice",
        failuresBefore: counted,
      });
      expect([before, wrong?.failures, wrong?.accountDelayMs]).toEqual([before, before + 1, right]);
    }
  });

  test("a correct password does not make its network known, because the next guess from there would reveal it", async () => {
    const { accountDelays, noted } = startDelays();
    accountDelays.noteSignIn("alice", hiding("alice", network));
    accountDelays.noteSignIn("bob", at("bob"));
    await expect.poll(() => [...noted]).toEqual([`bob ${network}`]);
  });
});

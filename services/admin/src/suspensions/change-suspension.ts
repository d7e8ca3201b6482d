import { randomUUID } from "node:crypto";
import { accountSuspension, authenticate, type SuspensionDone } from "@postern/shared/contracts";
import { foldedName } from "@postern/shared/domain/brute-force";
import { isOfSite, type Suspension, type Suspensions } from "@postern/shared/domain/suspensions";
import { AppError } from "@postern/shared/platform/errors";
import { decidedInRedis } from "@postern/shared/platform/redis";
import { type Clock, steadyClock } from "@postern/shared/platform/time";
import type { AdminParts } from "../admin-parts.ts";
import { freshLookup } from "../operators/role-lookup.ts";
import { malformed } from "../read-request.ts";

interface ChangeSuspensionDeps extends Pick<AdminParts, "accountNames" | "bus" | "logger"> {
  readonly suspensions: Suspensions;
  /** Revokes the tokens that the JWT endpoints have issued to the account. */
  readonly revokeTokens: (account: string) => Promise<void>;
  /** Removes the cached results of a name at every engine. */
  readonly flushAccount: (name: string) => Promise<unknown>;
  /** The clock of Redis. */
  readonly clock: Clock;
}

interface Change {
  readonly username: string;
  readonly session: string;
  /** By somebody who is limited to domains. */
  readonly isLimited: boolean;
}

export interface NewSuspension extends Change {
  /** Absent: until it is resumed. */
  readonly lastsMs: number | undefined;
  /** Empty: the general text. */
  readonly reason: string;
  readonly by: string;
}

const endAccessMs = 10_000;
const lookUpMs = 2000;

/** Ends what the account's user obtained, and notifies the user. */
function createEndAccess({ bus, logger, revokeTokens }: ChangeSuspensionDeps) {
  /** The attributes contain mail addresses. Without them, the user is notified at the account's name. */
  const attributesOf = async (username: string): Promise<Record<string, string[]>> => {
    const decision = await bus
      .request(authenticate, freshLookup(username, randomUUID()), { deadline: steadyClock.now() + lookUpMs })
      .catch(() => undefined);
    return decision?.outcome === "ok" ? decision.attributes : {};
  };
  /** @returns the number of browser sessions; undefined if the identity provider did not answer */
  return async (
    account: string,
    details: {
      readonly event: "account_suspended" | "account_resumed";
      readonly session: string;
      readonly isKnown: boolean;
      readonly reason?: string;
    },
  ): Promise<number | undefined> => {
    try {
      const { isKnown, ...about } = details;
      const ask = (more: { readonly attributes?: Record<string, string[]> }) =>
        bus.request(accountSuspension, { ...about, account, ...more }, { deadline: steadyClock.now() + endAccessMs });
      const [{ sessions }] = await Promise.all([ask({}), revokeTokens(account)]);
      // The access has ended before anything is looked up for the notification.
      if (isKnown) await ask({ attributes: await attributesOf(account) });
      return sessions;
    } catch (err) {
      logger.warn({ session: details.session, err }, "the sessions and tokens of an account were not ended");
      return undefined;
    }
  };
}

const flushed = decidedInRedis("cached results could not be removed: repeat the request");

const sumOf = (counts: readonly (number | undefined)[]): Pick<SuspensionDone, "sessions_ended"> =>
  counts.includes(undefined) ? {} : { sessions_ended: counts.reduce<number>((sum, count = 0) => sum + count, 0) };

/** A password that was accepted before the suspension, and changed during it, must not be accepted from a cache afterwards. */
const flushAll = ({ flushAccount }: ChangeSuspensionDeps, names: Iterable<string>) =>
  flushed(() => Promise.all([...new Set(names)].map(flushAccount)));

/** Whether the site has suspended one of the names, and whoever asks is limited to domains. Redis may have lost what this process knows. */
async function isKept(suspensions: Suspensions, isLimited: boolean, names: readonly string[]): Promise<boolean> {
  if (!isLimited) return false;
  const stored = await Promise.all(names.map((account) => suspensions.read(account)));
  return [...stored, ...names.map((account) => suspensions.find(account))].some((one) => isOfSite(one));
}

/** @returns the accounts whose suspension was written: not those that the site has suspended in the meantime */
async function suspendEach(suspensions: Suspensions, all: readonly Suspension[]): Promise<readonly string[]> {
  const suspended: string[] = [];
  for (const one of all) {
    const { account, isLimited = false } = one;
    if (await suspensions.suspend(one)) suspended.push(account);
    else if (!(await isKept(suspensions, isLimited, [account])))
      throw malformed("too many accounts are suspended; disable them in their backend");
  }
  return suspended;
}

function createSuspend(deps: ChangeSuspensionDeps, endAccess: ReturnType<typeof createEndAccess>) {
  const { suspensions, accountNames, clock } = deps;
  return async (wanted: NewSuspension): Promise<SuspensionDone | undefined> => {
    const { username, session, lastsMs, reason, by, isLimited } = wanted;
    const { accounts, isComplete, isDenied } = await accountNames(username);
    const isAll = isComplete && !isDenied;
    // A name that could not be looked up everywhere counts as typed, too.
    const names = accounts.length > 0 && isAll ? accounts : [...new Set([...accounts, foldedName(username)])];
    if (await isKept(suspensions, isLimited, names)) return undefined;
    const sinceMs = Math.floor(clock.now());
    const untilMs = lastsMs === undefined ? undefined : sinceMs + lastsMs;
    const text = reason === "" ? {} : { reason };
    const more = { sinceMs, by, session, isLimited, ...(untilMs !== undefined && { untilMs }), ...text };
    const typed = (account: string) => (accounts.includes(account) ? {} : { isTyped: true });
    const all = names.map((account) => ({ account, ...more, ...typed(account) }));
    const suspended = await suspendEach(suspensions, all);
    if (suspended.length === 0) return undefined;
    // From here on, no new session and no token: what exists can be ended without a race.
    const about = { event: "account_suspended", session, ...text } as const;
    const [ended] = await Promise.all([
      Promise.all(suspended.map((account) => endAccess(account, { ...about, isKnown: accounts.includes(account) }))),
      flushAll(deps, [...suspended, username]),
    ]);
    const until = untilMs === undefined ? {} : { until: new Date(untilMs).toISOString() };
    const complete = isAll ? {} : { is_complete: false };
    return { accounts: [...suspended], ...until, is_known: accounts.length > 0, ...complete, ...sumOf(ended) };
  };
}

function createResume(deps: ChangeSuspensionDeps, endAccess: ReturnType<typeof createEndAccess>) {
  const { suspensions, accountNames } = deps;
  return async ({ username, session, isLimited }: Change): Promise<SuspensionDone | undefined> => {
    const { accounts, isComplete } = await accountNames(username);
    // A backend that does not answer must not keep an account suspended whose name was typed.
    const candidates = [...new Set([...accounts, username, foldedName(username)])];
    if (await isKept(suspensions, isLimited, candidates)) return undefined;
    const known = await Promise.all(candidates.map((account) => suspensions.read(account)));
    const names = known.flatMap((one) => one?.account ?? []);
    if (names.length === 0 && !isComplete)
      throw new AppError("DIRECTORY_UNAVAILABLE", { detail: "the account behind the name could not be looked up" });
    // Engines that learned of the suspension late may have stored results after it began.
    await flushAll(deps, candidates);
    // Also without a suspension: Redis may have lost it while services still know it.
    if (names.length === 0) await Promise.all(candidates.map((account) => suspensions.resume(account, isLimited)));
    // While the account is still suspended, so that what began in the meantime does not come back with it.
    const ended = await Promise.all(
      names.map((account) =>
        endAccess(account, { event: "account_resumed", session, isKnown: accounts.includes(account) }),
      ),
    );
    const isDone = await Promise.all(names.map((account) => suspensions.resume(account, isLimited)));
    // The site may have suspended some in the meantime.
    const resumed = names.filter((_account, index) => isDone[index] === true);
    if (names.length > 0 && resumed.length === 0) return undefined;
    return { accounts: resumed, is_known: accounts.length > 0, ...sumOf(ended) };
  };
}

/**
 * Suspends accounts and resumes them. The name is resolved once; searches of different protocols may find different accounts. Both return
 * undefined if the site has suspended the account and whoever asks is limited to domains.
 */
export function createChangeSuspension(deps: ChangeSuspensionDeps) {
  const endAccess = createEndAccess(deps);
  return { suspend: createSuspend(deps, endAccess), resume: createResume(deps, endAccess) };
}

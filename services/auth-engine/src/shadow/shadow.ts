import type { AuthDecision } from "@postern/shared/contracts";
import { foldedName } from "@postern/shared/domain/brute-force";
import type { KnownDomain } from "@postern/shared/domain/domains";
import type { Omission } from "@postern/shared/domain/shadow";
import { createBoundedCache } from "@postern/shared/platform/cache";
import { abortAfter, untilOver } from "@postern/shared/platform/concurrency";
import type { KeyedDigest } from "@postern/shared/platform/crypto";
import { AppError } from "@postern/shared/platform/errors";
import type { Clock } from "@postern/shared/platform/time";
import { backendQuery } from "../backends/ask-backends.ts";
import type { Backend, BackendContext, BackendQuery } from "../backends/backend.ts";
import type { Attempt } from "../pipeline/attempt.ts";
import type { CachedFacts } from "../result-cache/result-caches.ts";
import { oldAnswer, type SideAnswer } from "./answers.ts";
import { askShadow, type NewAnswer, noFactors, readFactors, type Waiting } from "./ask-shadow.ts";
import type { CompareAttributesDeps } from "./attributes.ts";
import { type Comparison, compare } from "./compare.ts";
import type { ComparedAccount } from "./shadow-counter.ts";
import type { ShadowSettings } from "./shadow-settings.ts";

const ttlMs = 3_600_000;
/** Keys are digests of the same length, so that this takes a few megabytes. */
const maxEntries = 50_000;

/** One turn an hour for each account. Of more accounts than fit, those whose turn was taken first have the next one earlier. */
function createTurns(clock: Clock) {
  const taken = createBoundedCache<1>({ maxEntries, evict: "oldest", clock, ttlMs });
  return {
    /** Whether an account has its turn, which it then has taken. */
    take: (account: string): boolean => {
      if (taken.get(account) !== undefined) return false;
      taken.set(account, 1);
      return true;
    },
    /** The account may have the next turn immediately. */
    giveBack: (account: string): void => taken.delete(account),
  };
}

export interface ShadowDeps extends CompareAttributesDeps {
  readonly settings: ShadowSettings;
  /** Those of the shadow, which nothing else uses. */
  readonly backends: readonly Backend[];
  /** Those that decide, for their second factors. */
  readonly deciding: () => readonly Backend[];
  /** A backend as a domain sees one of its own, so that both sides name accounts alike. */
  readonly seenFrom: (domain: KnownDomain, backend: Backend) => Backend;
  /** Steady. */
  readonly clock: Clock;
  /** From 0 to below 1. */
  readonly random: () => number;
  readonly onCompared: (about: ComparedAccount & { readonly session: string }, comparison: Comparison) => void;
  readonly onOmitted: (reason: Omission, protocol: string, error?: AppError) => void;
  readonly onCloseFailure: (error: unknown) => void;
}

/** Which requests are compared. */
function createChoice({ protocols, domains, share }: ShadowSettings, random: () => number) {
  return ({ protocol, username }: Attempt): boolean => {
    if (protocols.size > 0 && !protocols.has(protocol)) return false;
    if (domains.size > 0 && !domains.has(username.slice(username.lastIndexOf("@") + 1).toLowerCase())) return false;
    return share >= 1 || random() < share;
  };
}

/**
 * Whether the backends of the shadow may get the password of this request. What a cache accepted may be a former password, and what was
 * refused after a backend had accepted it may be a stolen one.
 */
function mayPass(
  { passwords }: ShadowSettings,
  { operation }: Attempt,
  { credential, cache }: CachedFacts,
  { old, final }: { readonly old: SideAnswer; readonly final: AuthDecision },
): boolean {
  if (operation !== "authenticate" || credential !== "password" || passwords === "none") return false;
  if (cache?.servedFrom !== undefined) return false;
  const isAccepted = old.kind === "known" && old.isRight === true;
  return isAccepted ? final.outcome === "ok" : passwords === "all";
}

function nameOf(old: SideAnswer, now: SideAnswer, { username }: BackendQuery): string {
  const [before, after] = [old, now].map((answer) => (answer.kind === "known" ? answer.account : undefined));
  return before ?? after ?? username;
}

function fromAny(error: unknown): AppError {
  return error instanceof AppError ? error : new AppError("INTERNAL", { cause: error });
}

/** The name under which an account has its turns, whichever name the user signs in with. */
const turnKey = ({ old, query }: Waiting, digest: KeyedDigest): string =>
  digest(foldedName(nameOf(old, old, query)), "base64url").slice(0, 22);

/**
 * Asks with the password if the account has its turn, and otherwise looks it up: a directory may lock accounts after some wrong passwords.
 * A password that is under way, that was refused, or about which no answer came keeps the turn for an hour.
 */
async function askInTurn(
  { backends, digest }: Pick<ShadowDeps, "backends" | "digest">,
  waiting: Waiting,
  context: BackendContext,
  passwordTurns: ReturnType<typeof createTurns>,
) {
  const key = waiting.password === undefined ? undefined : turnKey(waiting, digest);
  if (key === undefined || !passwordTurns.take(key))
    return askShadow(backends, { ...waiting, password: undefined }, context);
  const now = await askShadow(backends, waiting, context);
  if (now.answer.kind === "unknown" || now.answer.isRight === true) passwordTurns.giveBack(key);
  return now;
}

/** Compares one request within its time. Never rejects. */
function createCompareOne(
  { backends, clock, deciding, onCompared, onOmitted, ...deps }: ShadowDeps,
  ending: AbortSignal,
) {
  const seen = ({ domain }: Waiting, all: readonly Backend[]): readonly Backend[] =>
    domain === undefined ? all : all.map((one) => deps.seenFrom(domain, one));
  const passwordTurns = createTurns(clock);
  const factorTurns = createTurns(clock);
  const factorsOf = async (waiting: Waiting, now: NewAnswer, context: BackendContext) => {
    // The deciding backend is queried once more for it, so not for each of many sign-ins, and its failure says nothing about the rest.
    if (waiting.decidedBy === undefined || !factorTurns.take(turnKey(waiting, deps.digest))) return noFactors;
    const reading = readFactors(waiting, now, { context, deciding: seen(waiting, deciding()) });
    return untilOver(reading, { context, clock, waitingFor: "second factors" }).catch(() => noFactors);
  };
  return async (waiting: Waiting): Promise<void> => {
    const { deadline, query, old, session } = waiting;
    const timeMs = deadline - clock.now();
    if (timeMs <= 0) {
      onOmitted("dropped", query.protocol);
      return;
    }
    const context = { deadline, signal: abortAfter(Math.ceil(timeMs), ending) };
    try {
      const own = { backends: seen(waiting, backends), digest: deps.digest };
      const asking = askInTurn(own, waiting, context, passwordTurns);
      const now = await untilOver(asking, { context, clock, waitingFor: "the shadow" });
      const factors = await factorsOf(waiting, now, context);
      const { answer } = now;
      const about = {
        account: nameOf(old, answer, query),
        protocol: query.protocol,
        isKnown: old.kind === "known" || answer.kind === "known",
        session,
      };
      onCompared(about, compare(old, answer, factors, deps));
    } catch (error) {
      if (ending.aborted) onOmitted("dropped", query.protocol);
      else onOmitted("undecided_new", query.protocol, fromAny(error));
    }
  };
}

/** At most `concurrency` at a time, and at most `maxQueued` that wait; `work` never rejects. */
function createBoundedWork<Item>(
  { concurrency, maxQueued }: Pick<ShadowSettings, "concurrency" | "maxQueued">,
  work: (item: Item) => Promise<void>,
) {
  const queue: Item[] = [];
  const running = new Set<Promise<void>>();
  const start = (): void => {
    while (running.size < concurrency) {
      const item = queue.shift();
      if (item === undefined) return;
      const one = work(item).finally(() => {
        running.delete(one);
        start();
      });
      running.add(one);
    }
  };
  return {
    hasRoom: (): boolean => queue.length < maxQueued || running.size < concurrency,
    add: (item: Item): void => {
      queue.push(item);
      start();
    },
    /** @returns what waited, once nothing runs any more */
    end: async (): Promise<readonly Item[]> => {
      const waited = queue.splice(0);
      await Promise.all(running);
      return waited;
    },
  };
}

/**
 * Asks other backends what they would have answered. It runs after the answer was sent, in a bounded queue with a bounded number of
 * requests at a time; what finds no place there is counted and forgotten.
 */
export function createShadow(deps: ShadowDeps) {
  const { settings, backends, clock, onOmitted } = deps;
  const isChosen = createChoice(settings, deps.random);
  const ending = new AbortController();
  const comparisons = createBoundedWork(settings, createCompareOne(deps, ending.signal));
  const end = async (): Promise<void> => {
    ending.abort();
    for (const { query } of await comparisons.end()) onOmitted("dropped", query.protocol);
  };
  return {
    /**
     * Compares a request later, or not at all. Never throws and never waits.
     * @param final what the client got, after policies, scripts and the other finalizers, or the temporary failure if nothing could decide
     */
    offer: (attempt: Attempt, final: AuthDecision, facts: CachedFacts): void => {
      const decision = facts.stepDecision ?? final;
      const { domain } = attempt;
      // Names of domains that the site does not serve reach no backend.
      if (!isChosen(attempt) || domain?.isKnown === false) return;
      if (decision.outcome === "tempfail") {
        onOmitted("undecided_old", attempt.protocol);
        return;
      }
      const old = oldAnswer(attempt, decision, facts);
      if (old === undefined) return;
      if (!comparisons.hasRoom()) {
        onOmitted("dropped", attempt.protocol);
        return;
      }
      const isCached = facts.cache?.servedFrom !== undefined;
      comparisons.add({
        query: backendQuery(attempt),
        session: attempt.session,
        domain,
        old,
        password: mayPass(settings, attempt, facts, { old, final }) ? attempt.password : undefined,
        deadline: clock.now() + settings.timeoutMs,
        decidedBy: settings.comparesSecondFactors && !isCached ? facts.backendName : undefined,
      });
    },
    /** What waits and what is under way is forgotten: nothing waits for a shadow that hangs. */
    end,
    close: async (): Promise<void> => {
      await end();
      await Promise.all(backends.map((backend) => backend.close().catch(deps.onCloseFailure)));
    },
  };
}

export type Shadow = ReturnType<typeof createShadow>;

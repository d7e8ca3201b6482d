import { type Base, factMarksFromConfig } from "@postern/shared/assembly";
import { accountFlushed, notifySuspiciousSignIn } from "@postern/shared/contracts";
import {
  createRiskNames,
  createRiskStore,
  decodeAccountFacts,
  decodeReviews,
  decodeSourceFacts,
  encodeAccountFacts,
  encodeReviews,
  encodeSourceFacts,
  type RiskSettings,
} from "@postern/shared/domain/risk";
import { endsWithin } from "@postern/shared/platform/concurrency";
import type { Config } from "@postern/shared/platform/config";
import { type RedisClient, riskReviewKey, riskSourceKey } from "@postern/shared/platform/redis";
import { steadyClock, systemClock } from "@postern/shared/platform/time";
import { usesBruteForce } from "../brute-force/brute-force-settings.ts";
import { catalogueMessage, type Foundation } from "../foundation.ts";
import type { Attempt } from "../pipeline/attempt.ts";
import { createFactWriter, type FactForm } from "./fact-writer.ts";
import { createLeakedPasswords } from "./leaked-passwords.ts";
import { createRiskNotices } from "./notices-redis.ts";
import { createPlaces, type Places } from "./places.ts";
import { createReputation, type Reputation } from "./reputation.ts";
import { createRisk } from "./risk.ts";
import { createRiskNotifier, type RiskNotifier } from "./risk-notifier.ts";
import { createRiskSubjects } from "./risk-subjects.ts";
import type { RiskFacts } from "./sign-in.ts";

type Parts = Pick<Foundation, "base" | "bus" | "redis" | "live" | "metrics">;

const flushMs = 500;
const refreshMs = 30_000;
const closeMs = 3000;
/** A claim is longer than a request. */
const noticeTimes = { requestMs: 5000, claimSeconds: 8 } as const;

function makePlaces({ auth }: Config, { logger }: Base): Places {
  const { city_file: cityFile, system_file: systemFile } = auth.risk;
  return createPlaces({
    cityFile,
    systemFile,
    onRead: (file, builtAt) => logger.info({ file, built: builtAt.toISOString() }, "file of IP locations loaded"),
    onProblem: (file, err) => logger.error({ file, err }, "file of IP locations cannot be used"),
  });
}

function makeReputation({ auth }: Config, { logger }: Base): Reputation {
  return createReputation(
    auth.risk.reputation_files,
    (file, networks) => logger.info({ file, networks }, "network reputation file loaded"),
    (file, err) => logger.error({ file, err }, "network reputation file cannot be used"),
  );
}

/** One of the engines asks, and one of the identity providers notifies the user and the operators. */
function makeNotifier(
  config: Config,
  { base: { logger }, bus, metrics }: Parts,
  redis: RedisClient,
): RiskNotifier | undefined {
  if (!config.identity.notices.enabled) return undefined;
  const { prefix: keyPrefix } = config.storage.redis;
  const { timeout: timeoutMs } = config.auth.controls.brute_force.without_redis;
  return createRiskNotifier({
    notices: createRiskNotices(redis, keyPrefix, timeoutMs, noticeTimes.claimSeconds),
    request: (request) =>
      bus.request(notifySuspiciousSignIn, request, { deadline: steadyClock.now() + noticeTimes.requestMs }),
    count: metrics.risk.notified,
    logger,
  });
}

function makeReport({ base: { logger, audit }, metrics }: Parts, notifier: RiskNotifier | undefined) {
  return (attempt: Attempt, risk: RiskFacts, isNewDoubt: boolean): void => {
    const { session, username, protocol, clientIp } = attempt;
    const { score, level, signals, mode, verdict, scored } = risk;
    if (scored.signIn.credential !== "token") metrics.risk.scored(mode, level);
    if (verdict.refusal !== undefined) metrics.risk.refused(mode, verdict.refusal);
    notifier?.notify(attempt, risk);
    if (level === "ordinary" || !isNewDoubt) return;
    for (const { signal } of signals) metrics.risk.raised(signal);
    const reasons = signals.map(({ signal, reason }) => `${signal}: ${reason}`);
    const refusal = verdict.refusal ?? "none";
    logger.warn({ session, username, protocol, score, level, signals: reasons, mode, refusal }, "suspicious sign-in");
    audit.record({
      event: "risk.sign_in",
      outcome: risk.isRefused ? "denied" : "ok",
      target: username,
      account: risk.scored.account,
      clientIp,
      session,
      protocol,
      reason: `${level} ${score}: ${signals.map(({ signal }) => signal).join(" ")}${verdict.refusal === undefined ? "" : `; ${risk.isRefused ? "refused" : "enforce would refuse it"} (${verdict.refusal})`}`,
    });
  };
}

function makeWriters(settings: () => RiskSettings, { metrics }: Parts, store: ReturnType<typeof createRiskStore>) {
  const writer = <Facts>(form: FactForm<Facts>) => createFactWriter(store, form, metrics.risk.lost);
  return {
    accounts: writer({
      decode: decodeAccountFacts,
      encode: encodeAccountFacts,
      lifeSeconds: () => settings().retentionMinutes * 60,
    }),
    sources: writer({
      decode: decodeSourceFacts,
      encode: encodeSourceFacts,
      lifeSeconds: () => riskSourceKey.ttlSeconds,
    }),
    reviews: writer({ decode: decodeReviews, encode: encodeReviews, lifeSeconds: () => riskReviewKey.ttlSeconds }),
  };
}

/** Undefined without brute-force protection, in whose round trip it reads. */
export function createLiveRisk(config: Config, parts: Parts) {
  const { base, bus, redis, live } = parts;
  if (!usesBruteForce(config)) return undefined;
  const { password_nonce: nonce, prefix } = config.storage.redis;
  const settings = (): RiskSettings => live.current.risk;
  const [places, reputation] = [makePlaces(config, base), makeReputation(config, base)];
  const refresh = async (): Promise<void> => void (await Promise.all([places.refresh(), reputation.refresh()]));
  const { leaked_passwords_file: leakedFile } = config.auth.risk;
  const timeoutMs = config.auth.controls.brute_force.without_redis.timeout;
  const store = createRiskStore(redis, timeoutMs, factMarksFromConfig(config, redis));
  const notifier = makeNotifier(config, parts, redis);
  const writers = makeWriters(settings, parts, store);
  const onLeakedProblem = (err: unknown): void =>
    base.logger.error({ file: leakedFile, err }, "the file of leaked passwords cannot be used");
  const risk = createRisk({
    settings,
    subjects: createRiskSubjects(createRiskNames(nonce), prefix),
    store,
    ...writers,
    places,
    reputation,
    leaked: leakedFile === "" ? undefined : createLeakedPasswords(leakedFile, onLeakedProblem),
    clock: systemClock,
    onScored: makeReport(parts, notifier),
    onForgotten: (account) => notifier?.forget(account),
  });
  const flush = async (): Promise<void> =>
    void (await Promise.all(Object.values(writers).map((writer) => writer.flush())));
  const flushing = setInterval(() => void flush(), flushMs);
  const refreshing = setInterval(() => void refresh(), refreshMs);
  flushing.unref();
  refreshing.unref();
  bus.subscribe(accountFlushed, ({ names }) => risk.forget(names));
  return {
    ...risk,
    places,
    delayMs: (): number => settings().delayMs,
    /** A refusal in the client's language. */
    denialMessage: ({ dialect, acceptLanguage }: Pick<Attempt, "dialect" | "acceptLanguage">) => {
      const key = dialect === "idp" ? "auth.unusual_sign_in" : "auth.confirm_sign_in";
      return catalogueMessage(live, key, acceptLanguage);
    },
    /** Resolves when the places and the reputation have been read. */
    ready: refresh,
    /** Writes what waits. */
    close: async (): Promise<void> => {
      clearInterval(flushing);
      clearInterval(refreshing);
      notifier?.close();
      // The second writes what came while the first was under way.
      await endsWithin(flush().then(flush), closeMs);
    },
  };
}

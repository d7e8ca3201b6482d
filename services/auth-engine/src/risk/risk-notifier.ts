import { randomUUID } from "node:crypto";
import { type notifySuspiciousSignIn, programOf, type Request } from "@postern/shared/contracts";
import { createHotCache } from "@postern/shared/platform/cache";
import type { Logger } from "@postern/shared/platform/logging";
import { riskNoticeKey } from "@postern/shared/platform/redis";
import { steadyClock, systemClock } from "@postern/shared/platform/time";
import type { Attempt } from "../pipeline/attempt.ts";
import type { RiskNotices } from "./notices-redis.ts";
import type { RiskMetrics } from "./risk-metrics.ts";
import type { RiskFacts } from "./sign-in.ts";

type NoticeRequest = Request<typeof notifySuspiciousSignIn>;

interface Deps {
  readonly notices: RiskNotices;
  /** Resolves once an identity provider has stored the notification. */
  readonly request: (request: NoticeRequest) => Promise<unknown>;
  readonly count: RiskMetrics["notified"];
  readonly logger: Logger;
}

const retryMs = 5000;
/** Afterwards, a notification is lost. */
const retryForMs = 900_000;
/** How long a network is left alone whose notification was stored. */
const settledMs = riskNoticeKey.ttlSeconds * 1000;

interface Waiting {
  readonly account: string;
  readonly network: string;
  readonly request: NoticeRequest;
  readonly endMs: number;
  hasFailed: boolean;
  timer: NodeJS.Timeout | undefined;
}

/** Each waits in memory with the attributes of its account. */
const maxWaiting = 256;
const maxSettled = 16_384;
/** What another engine stored ends at a time that this one does not know. */
const foundSettledMs = 60_000;

/** Each attempt has the same id, so that receivers may drop what they get twice. */
function requestOf(attempt: Attempt, { scored: { account, attributes } }: RiskFacts, atMs: number): NoticeRequest {
  const { session, clientIp, acceptLanguage } = attempt;
  const program = programOf(attempt);
  return {
    id: randomUUID(),
    atMs,
    account,
    attributes,
    session,
    ...(clientIp === undefined ? {} : { clientIp }),
    ...(program === "" ? {} : { userAgent: program }),
    ...(acceptLanguage === undefined ? {} : { acceptLanguage }),
  };
}

/** What only a hold refuses says nothing about the account. */
function isNotifiable({ level, ownLevel, mode, verdict, isRefused }: RiskFacts): boolean {
  if (level === "ordinary" || mode !== "enforce" || !verdict.responses.has("notify")) return false;
  return !isRefused || ownLevel !== "ordinary";
}

/** What was stored, and what could not be. */
function createOutcomes({ count, logger }: Deps) {
  const settled = createHotCache<number>(maxSettled);
  return {
    isSettled: (key: string): boolean => steadyClock.now() < (settled.get(key) ?? 0),
    settle: (key: string, forMs: number): void => settled.set(key, steadyClock.now() + forMs),
    lost: ({ session }: NoticeRequest, err: unknown): void => {
      count("lost");
      logger.error({ session, err }, "user notification lost");
    },
    failed: (one: Waiting, err: unknown): void => {
      if (!one.hasFailed) {
        count("delayed");
        logger.warn({ session: one.request.session, err }, "user notification is delayed");
      }
      one.hasFailed = true;
    },
  };
}

/** Resolves to whether the notification is stored, by this engine or another. */
function createSend(deps: Deps, { settle, failed }: ReturnType<typeof createOutcomes>) {
  const { notices, request, count } = deps;
  return async (key: string, one: Waiting): Promise<boolean> => {
    const { account, network } = one;
    const claim = await notices.claim(account, network);
    if (claim === "sent") settle(key, foundSettledMs);
    if (claim !== "own") return claim === "sent";
    try {
      await request(one.request);
    } catch (error) {
      failed(one, error);
      return false;
    }
    settle(key, settledMs);
    count("sent");
    await notices.settle(account, network);
    return true;
  };
}

/** Notifies users and operators of suspicious sign-ins, once in half an hour for each network of an account. */
export function createRiskNotifier(deps: Deps) {
  const outcomes = createOutcomes(deps);
  const send = createSend(deps, outcomes);
  const waiting = new Map<string, Waiting>();

  const run = async (key: string, one: Waiting): Promise<void> => {
    const isStored = await send(key, one);
    // Lost at the end of the engine, or dropped with the facts about the account.
    if (waiting.get(key) !== one) return;
    if (!isStored && steadyClock.now() < one.endMs) {
      one.timer = setTimeout(() => void run(key, one), retryMs);
      one.timer.unref();
      return;
    }
    // The next suspicious sign-in begins again.
    waiting.delete(key);
    if (!isStored && one.hasFailed) outcomes.lost(one.request, new RangeError("it could not be stored in time"));
  };
  return {
    /** Returns immediately. To be called for each scored sign-in. */
    notify: (attempt: Attempt, risk: RiskFacts): void => {
      if (!isNotifiable(risk)) return;
      const { subject, signIn } = risk.scored;
      const key = `${subject.id} ${signIn.network}`;
      if (waiting.has(key) || outcomes.isSettled(key)) return;
      const request = requestOf(attempt, risk, systemClock.now());
      if (waiting.size >= maxWaiting) {
        outcomes.settle(key, foundSettledMs);
        outcomes.lost(request, new RangeError(`${maxWaiting} user notifications are waiting`));
        return;
      }
      const endMs = steadyClock.now() + retryForMs;
      const { network } = signIn;
      const one = { account: subject.id, network, request, endMs, hasFailed: false, timer: undefined };
      waiting.set(key, one);
      void run(key, one);
    },
    /** Drops what waits for the account with this digest. */
    forget: (account: string): void => {
      for (const [key, one] of waiting) {
        if (one.account !== account) continue;
        clearTimeout(one.timer);
        waiting.delete(key);
        deps.count("dropped");
      }
    },
    /** What waits is lost. */
    close: (): void => {
      for (const { timer, hasFailed, request } of waiting.values()) {
        clearTimeout(timer);
        if (hasFailed) outcomes.lost(request, new Error("the engine ends"));
      }
      waiting.clear();
    },
  };
}

export type RiskNotifier = ReturnType<typeof createRiskNotifier>;

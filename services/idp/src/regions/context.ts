import { keyRingFromConfig, regionLogFromConfig } from "@postern/shared/assembly";
import {
  claimFactorCode,
  consumePushedRequest,
  readPushedRequest,
  readRegistration,
  readTokenRecord,
  redeemLostPhoneCode,
  sessionsEndedElsewhere,
} from "@postern/shared/contracts";
import { createLostPhoneCodes } from "@postern/shared/domain/lost-phone";
import { type RegionCalls, tagOf } from "@postern/shared/domain/region-calls";
import { createSessionEnds, type SessionEnd } from "@postern/shared/domain/regions";
import { createOpaqueRecordReader } from "@postern/shared/domain/tokens";
import type { Bus } from "@postern/shared/platform/bus";
import type { Config } from "@postern/shared/platform/config";
import type { KeyRing } from "@postern/shared/platform/crypto";
import type { Logger } from "@postern/shared/platform/logging";
import type { RedisClient } from "@postern/shared/platform/redis";
import type { Clock } from "@postern/shared/platform/time";
import type { OidcContext } from "../oidc/context.ts";
import { createFactorClaims } from "../second-factors/factor-claims-redis.ts";
import type { SessionStore } from "../sessions/session-store-redis.ts";
import type { SingleLogout } from "../sessions/single-logout.ts";

/** The event may get lost. */
const everyMs = 5000;

/**
 * Ends the sessions that other regions have ended; those that began later stay. Another replica may do the same at this time. What fails is
 * tried again with the next call.
 */
function createEndOrdered(
  ends: ReturnType<typeof createSessionEnds>,
  sessions: SessionStore,
  singleLogout: SingleLogout | undefined,
  logger: Logger,
): () => Promise<void> {
  const endOne = async (order: SessionEnd): Promise<void> => {
    const { account, untilMs } = order;
    const begun = (await sessions.listAll(account)).filter(({ iat }) => iat * 1000 <= untilMs);
    for (const { uid } of begun) {
      const ended = await sessions.end(uid);
      if (ended !== undefined) await singleLogout?.ended(ended);
    }
    await ends.done(order);
  };
  let running: Promise<void> | undefined;
  let hasFailed = false;
  const endAll = async (): Promise<void> => {
    const failures: unknown[] = [];
    const failed = (error: unknown): void => void failures.push(error);
    const orders = (await ends.list().catch(failed)) ?? [];
    // One that fails does not hold up those behind it.
    for (const order of orders) await endOne(order).catch(failed);
    const [err] = failures;
    // Once for an outage.
    if (failures.length > 0 && !hasFailed) logger.warn({ err }, "sessions that another region has ended continue");
    hasFailed = failures.length > 0;
  };
  return async () => {
    // What arrives meanwhile may be missing from the list that is being worked on.
    await running;
    running ??= endAll().finally(() => (running = undefined));
    await running;
  };
}

interface EndingParts {
  readonly redis: RedisClient;
  readonly bus: Pick<Bus, "subscribe">;
  readonly sessions: SessionStore | undefined;
  readonly singleLogout: SingleLogout | undefined;
  readonly logger: Logger;
}

/** What users and other regions end. Without other regions, neither has an effect. */
export function createRegionSessions(config: Config, { redis, bus, sessions, singleLogout, logger }: EndingParts) {
  const log = regionLogFromConfig(config, redis);
  if (log !== undefined && sessions !== undefined) {
    const ends = createSessionEnds(redis, config.storage.redis.prefix);
    const endOrdered = createEndOrdered(ends, sessions, singleLogout, logger);
    bus.subscribe(sessionsEndedElsewhere, () => void endOrdered());
    setInterval(() => void endOrdered(), everyMs).unref();
  }
  return {
    /** A user has ended all other sessions of an account. @throws AppError REDIS_UNAVAILABLE */
    onAllEnded: async (account: string): Promise<void> => log?.append({ kind: "session-end", account }),
  };
}

interface CallParts {
  readonly calls: RegionCalls;
  readonly state: RedisClient;
  /** The clock of Redis, for the times of what replicas share. */
  readonly sharedClock: Clock;
  readonly oidc: OidcContext | undefined;
}

function serveTokens(keys: KeyRing, keyPrefix: string, { calls, state, sharedClock }: CallParts): void {
  const read = createOpaqueRecordReader(state, keyPrefix, keys);
  calls.serve(readTokenRecord, async ({ digest }) => {
    const found = await read(digest);
    if (found === "none") return {};
    const { expiresAtMs, signedInAt, ...record } = found;
    const remainingMs = expiresAtMs - sharedClock.now();
    return { record: { ...record, remainingMs, ...(signedInAt !== undefined && { signedInAt }) } };
  });
}

/** Only of clients of this region: a call never leads to another one. */
function serveRegistrations({ registered }: OidcContext, { calls }: CallParts): void {
  calls.serve(readRegistration, async ({ id, isUsed }) => {
    if (calls.elsewhere(tagOf(id)) !== undefined) return {};
    await registered.load(id);
    if (isUsed) await registered.keep(id);
    const registration = registered.recent(id);
    return registration === undefined ? {} : { registration: { ...registration } };
  });
}

function servePushedRequests({ store }: OidcContext, { calls, sharedClock }: CallParts): void {
  const model = "PushedAuthorizationRequest";
  calls.serve(readPushedRequest, async ({ digest }) => {
    const payload = await store.find({ model, digest });
    if (payload === undefined) return {};
    return { found: { payload, remainingSeconds: Math.round((payload.exp ?? 0) - sharedClock.now() / 1000) } };
  });
  calls.serve(consumePushedRequest, async ({ digest }) => ({
    isConsumed: (await store.consume({ model, digest })) === "consumed",
  }));
}

/** Answers what other regions ask about the records of this one. */
export function serveRegionCalls(config: Config, parts: CallParts): void {
  const { calls, state, sharedClock, oidc } = parts;
  const { prefix } = config.storage.redis;
  const claim = createFactorClaims(state, prefix);
  calls.serve(claimFactorCode, async (request) => ({ outcome: await claim(request) }));
  const lostPhone = createLostPhoneCodes(state, prefix, sharedClock);
  calls.serve(redeemLostPhoneCode, async ({ account, code, flowId }) => ({
    outcome: await lostPhone.redeem(account, code, flowId),
  }));
  const keys = keyRingFromConfig(config, "oidc");
  if (keys !== undefined) serveTokens(keys, prefix, parts);
  if (oidc === undefined) return;
  servePushedRequests(oidc, parts);
  serveRegistrations(oidc, parts);
}

import { keyRingFromConfig } from "@postern/shared/assembly";
import {
  claimFactorCode,
  consumePushedRequest,
  readPushedRequest,
  readRegistration,
  readTokenRecord,
  redeemLostPhoneCode,
} from "@postern/shared/contracts";
import { createLostPhoneCodes } from "@postern/shared/domain/lost-phone";
import { type RegionCalls, tagOf } from "@postern/shared/domain/region-calls";
import { createOpaqueRecordReader } from "@postern/shared/domain/tokens";
import type { Config } from "@postern/shared/platform/config";
import type { KeyRing } from "@postern/shared/platform/crypto";
import type { RedisClient } from "@postern/shared/platform/redis";
import type { Clock } from "@postern/shared/platform/time";
import type { OidcContext } from "../oidc/context.ts";
import { createFactorClaims } from "../second-factors/factor-claims-redis.ts";

interface RegionParts {
  readonly calls: RegionCalls;
  readonly state: RedisClient;
  /** The clock of Redis, for the times of what replicas share. */
  readonly sharedClock: Clock;
  readonly oidc: OidcContext | undefined;
}

function serveTokens(keys: KeyRing, keyPrefix: string, { calls, state, sharedClock }: RegionParts): void {
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
function serveRegistrations({ registered }: OidcContext, { calls }: RegionParts): void {
  calls.serve(readRegistration, async ({ id, isUsed }) => {
    if (calls.elsewhere(tagOf(id)) !== undefined) return {};
    await registered.load(id);
    if (isUsed) await registered.keep(id);
    const registration = registered.recent(id);
    return registration === undefined ? {} : { registration: { ...registration } };
  });
}

function servePushedRequests({ store }: OidcContext, { calls, sharedClock }: RegionParts): void {
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
export function serveRegionCalls(config: Config, parts: RegionParts): void {
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

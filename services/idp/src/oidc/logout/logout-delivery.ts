import { randomUUID } from "node:crypto";
import { abortAfter } from "@postern/shared/platform/concurrency";
import { createDeliveryLoop, type DeliveryLoop } from "../../logout-delivery/delivery-loop.ts";
import { type DeliveryTimes, deliveryDelayMs } from "../../logout-delivery/delivery-queue.ts";
import type { DeliveryResult } from "../metrics/oidc-metrics.ts";
import type { Generation, Generations } from "../provider/generation.ts";
import type { OidcParts } from "../state/context.ts";
import type { ClaimedDelivery, LogoutDeliveries, LogoutDelivery } from "./logout-deliveries-redis.ts";

const event = "http://schemas.openid.net/event/backchannel-logout";

/**
 * A logout token (Back-Channel Logout 1.0 §2.4), valid for two minutes. Its payload has `typ: Logout` in addition to the
 * header, which webmail requires. `unknown_client` if this replica does not know the client, `no_uri` if the client is not to be notified.
 */
async function logoutToken(
  { provider, settings }: Generation,
  { clientId, sub, sid }: LogoutDelivery,
): Promise<{ readonly token: string; readonly uri: string } | "unknown_client" | "no_uri"> {
  const client = await provider.Client.find(clientId);
  if (client === undefined) return "unknown_client";
  const uri = client.backchannelLogoutUri;
  if (uri === undefined) return "no_uri";
  const token = new provider.IdToken({}, { client });
  token.set("sub", sub);
  token.set("events", { [event]: {} });
  token.set("jti", randomUUID());
  token.set("typ", "Logout");
  if (sid !== undefined && settings.oidc.logout.back_channel_session_supported) token.set("sid", sid);
  return { token: await token.issue({ use: "logout" }), uri };
}

/** A replica that does not have the client soon lets another one try. */
const maxDoublings = 3;

/** RFC 9110: 4xx statuses that are temporary. */
const passing: ReadonlySet<number> = new Set([408, 425, 429]);

/** 2xx means delivered, 4xx is permanent. Throws when the client does not respond. */
async function send(uri: string, token: string, signal: AbortSignal): Promise<DeliveryResult> {
  const response = await fetch(uri, {
    method: "POST",
    redirect: "manual",
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: new URLSearchParams({ logout_token: token }),
    signal,
  });
  await response.body?.cancel();
  const { status } = response;
  if (status >= 200 && status < 300) return "delivered";
  return status >= 400 && status < 500 && !passing.has(status) ? "refused" : "retried";
}

/** Makes one attempt and handles its result. Rejects if the result cannot be stored: the message is due again after its lease. */
function createDeliver(
  { logger, counted }: OidcParts,
  deliveries: LogoutDeliveries,
  generations: Generations,
  times: () => DeliveryTimes,
) {
  /** Undefined for a client that is no longer to be notified. */
  const attempt = async (
    { delivery: { clientId, ...delivery }, attempts }: ClaimedDelivery,
    closing: AbortSignal,
  ): Promise<DeliveryResult | "unknown_client" | undefined> => {
    const message = await logoutToken(generations.current(), { clientId, ...delivery });
    if (message === "no_uri") return undefined;
    if (message === "unknown_client") {
      // Another replica may know it. The message of a client that was removed from the configuration expires.
      if (attempts === 0)
        logger.warn({ client: clientId }, "a logout notification is for a client that is not configured here");
      return message;
    }
    const result = await send(message.uri, message.token, abortAfter(times().timeoutMs, closing));
    if (result === "refused") logger.warn({ client: clientId }, "a client rejected a logout notification");
    return result;
  };
  return async (claimed: ClaimedDelivery, closing: AbortSignal): Promise<void> => {
    const { id, delivery, attempts } = claimed;
    const result = await attempt(claimed, closing).catch((err: unknown): DeliveryResult => {
      if (attempts === 0) logger.warn({ client: delivery.clientId, err }, "a client could not be notified of a logout");
      return "retried";
    });
    if (result === undefined) return deliveries.settle(id);
    const isUnknown = result === "unknown_client";
    counted.logoutDelivery(isUnknown ? "retried" : result);
    if (isUnknown) await deliveries.retry(id, deliveryDelayMs(Math.min(attempts, maxDoublings), times()));
    else if (result === "retried") await deliveries.retry(id, deliveryDelayMs(attempts, times()));
    else await deliveries.settle(id);
  };
}

export function createLogoutDelivery(
  parts: OidcParts,
  deliveries: LogoutDeliveries,
  generations: Generations,
  times: () => DeliveryTimes,
): DeliveryLoop {
  return createDeliveryLoop({
    claim: async (limit) => (generations.isReady ? deliveries.claim(limit) : []),
    deliver: createDeliver(parts, deliveries, generations, times),
    recipientOf: ({ delivery }) => delivery.clientId,
    maxWaitMs: () => times().timeoutMs,
    onError: (err) => parts.logger.error({ err }, "logout notifications cannot be delivered"),
  });
}

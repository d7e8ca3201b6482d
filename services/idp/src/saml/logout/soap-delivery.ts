import type { Logger } from "@postern/shared/platform/logging";
import { createDeliveryLoop } from "../../logout-delivery/delivery-loop.ts";
import { type Claimed, deliveryDelayMs } from "../../logout-delivery/delivery-queue.ts";
import type { DeliveryQueue } from "../../logout-delivery/delivery-queue-redis.ts";
import type { SamlCore } from "../saml-core.ts";
import { type BackChannel, type BackChannelAnswer, soapTimes } from "./back-channel.ts";
import type { LogoutTransactions } from "./logout-transactions-redis.ts";
import type { DeliveryReporter } from "./report-delivery.ts";
import type { SoapLogout } from "./soap-logouts-redis.ts";

interface SoapDeliveryDeps extends Pick<SamlCore, "providers" | "keys" | "sharedClock"> {
  readonly deliveries: DeliveryQueue<SoapLogout>;
  readonly transactions: Pick<LogoutTransactions, "note">;
  readonly send: BackChannel;
  readonly report: DeliveryReporter;
  readonly logger: Pick<Logger, "warn" | "error">;
  /** Whether Redis is connected, which it is not yet at start. */
  readonly isReady: () => boolean;
  /** Interval; shorter in tests. */
  readonly giveUpMs?: number;
}

/** How long delivery to a service provider that does not answer is retried. */
const giveUpAfterMs = 86_400_000;

type ClaimedSoapLogout = Claimed<SoapLogout>;

/**
 * Makes one attempt and handles its result. Never rejects: if the result cannot be written, the delivery is due after
 * the lease.
 */
function createDeliver(deps: SoapDeliveryDeps) {
  const { deliveries, transactions, providers, keys, send, report } = deps;
  const { logger, sharedClock, giveUpMs = giveUpAfterMs } = deps;
  const attempt = async (delivery: SoapLogout, closing: AbortSignal): Promise<BackChannelAnswer> => {
    // Throws while its metadata is not loaded here or has expired: another attempt, perhaps of another replica, may succeed.
    const provider = providers().sender(delivery.entityId);
    // The service provider or its endpoint was removed from the configuration.
    if (provider === undefined || provider.config.slo_back_channel_url === "") return "refused";
    return send(delivery, { provider, signer: await keys(), closing });
  };
  const settle = async (
    { id, delivery }: ClaimedSoapLogout,
    result: "done" | "refused" | "given_up",
  ): Promise<void> => {
    const { entityId, journey: transaction } = delivery;
    report({ channel: "soap", result, entityId });
    if (transaction !== undefined && result !== "given_up")
      await transactions.note(transaction.id, transaction.index, result);
    await deliveries.settle(id);
  };
  const deliver = async (claimed: ClaimedSoapLogout, closing: AbortSignal): Promise<void> => {
    const { id, delivery, attempts } = claimed;
    const answer = await attempt(delivery, closing).catch((err: unknown): BackChannelAnswer => {
      if (attempts === 0)
        logger.warn({ client: delivery.entityId, err }, "service provider could not be notified of a logout");
      return "later";
    });
    if (answer !== "later") return settle(claimed, answer);
    const delayMs = deliveryDelayMs(attempts, soapTimes);
    if (sharedClock.now() + delayMs > delivery.endedMs + giveUpMs) return settle(claimed, "given_up");
    report({ channel: "soap", result: "retried", entityId: delivery.entityId });
    await deliveries.retry(id, delayMs);
  };
  return (claimed: ClaimedSoapLogout, closing: AbortSignal): Promise<void> =>
    deliver(claimed, closing).catch((err: unknown) => {
      logger.error({ client: claimed.delivery.entityId, err }, "result of a logout delivery could not be stored");
    });
}

/** Notifies service providers of logouts over SOAP, on every replica. */
export function createSoapDelivery(deps: SoapDeliveryDeps) {
  const { deliveries, logger, isReady } = deps;
  const deliver = createDeliver(deps);
  const closing = new AbortController();
  const underWay = new Set<Promise<void>>();
  const loop = createDeliveryLoop({
    claim: async (limit) => (isReady() ? deliveries.claim(limit) : []),
    deliver,
    recipientOf: ({ delivery }) => delivery.entityId,
    maxWaitMs: () => soapTimes.timeoutMs,
    onError: (err) => logger.error({ err }, "SAML logout messages cannot be delivered"),
  });
  return {
    ...loop,
    /** Queues deliveries in Redis until a replica has carried them out. */
    enqueue: async (added: readonly SoapLogout[]): Promise<void> => {
      if (added.length === 0) return;
      await deliveries.add(added);
      loop.wake();
    },
    /** The same, but this replica makes the first attempts immediately; `attempted` resolves after them. */
    deliverNow: async (added: readonly SoapLogout[]): Promise<{ readonly attempted: Promise<void> }> => {
      const claimed = await deliveries.addClaimed(added);
      const attempted = Promise.all(claimed.map((one) => deliver(one, closing.signal))).then(() => undefined);
      underWay.add(attempted);
      void attempted.finally(() => underWay.delete(attempted));
      return { attempted };
    },
    close: async (): Promise<void> => {
      closing.abort();
      await Promise.all([loop.close(), ...underWay]);
    },
  };
}

export type SoapDelivery = ReturnType<typeof createSoapDelivery>;

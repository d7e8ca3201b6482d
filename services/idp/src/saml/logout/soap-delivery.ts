import type { Logger } from "@postern/shared/logging";
import type { Clock } from "@postern/shared/time";
import { createDeliveryLoop, type DeliveryLoop } from "../../logout-notices/delivery-loop.ts";
import { noticeDelayMs } from "../../logout-notices/notice-queue.ts";
import type { SamlKeys } from "../keys/saml-keys.ts";
import type { Providers } from "../providers.ts";
import type { BackChannelAnswer, TellByBackChannel } from "./back-channel.ts";
import type { Journeys } from "./journey.ts";
import type { ReportTelling } from "./report-telling.ts";
import { type ClaimedSoapNotice, giveUpAfterMs, type SoapNotice, type SoapNotices, soapTimes } from "./soap-notices.ts";

export interface SoapDeliveryDeps {
  readonly notices: SoapNotices;
  readonly journeys: Pick<Journeys, "note">;
  readonly providers: () => Providers;
  readonly keys: () => Promise<SamlKeys>;
  readonly tell: TellByBackChannel;
  readonly report: ReportTelling;
  readonly logger: Logger;
  readonly clock: Clock;
  /** Whether Redis can be asked at all: at the start it cannot yet. */
  readonly isReady: () => boolean;
  /** Shorter in tests. */
  readonly giveUpMs?: number;
}

/** Tells service providers of logouts by SOAP, on every replica. */
export interface SoapDelivery extends DeliveryLoop {
  /** They wait in Redis until a replica has told them. */
  enqueue(notices: readonly SoapNotice[]): Promise<void>;
  /** The same; this replica makes the first attempts at once, which are over when `attempted` is. */
  tellNow(notices: readonly SoapNotice[]): Promise<{ readonly attempted: Promise<void> }>;
}

const atATime = 16;

type Settled = "done" | "refused" | "given_up";

/** One attempt, and what follows from it. Never rejects: what could not be written comes back after the lease. */
function createDeliver(deps: SoapDeliveryDeps) {
  const { notices, journeys, providers, keys, tell, report, logger, clock, giveUpMs = giveUpAfterMs } = deps;
  const attempt = async (notice: SoapNotice, closing: AbortSignal): Promise<BackChannelAnswer> => {
    const provider = providers().find(notice.entityId);
    // The service provider, or its address, was taken out of the configuration: there is nobody to tell.
    if (provider === undefined || provider.config.slo_back_channel_url === "") return "refused";
    return tell(notice, { provider, signer: await keys(), closing });
  };
  const settle = async ({ id, notice }: ClaimedSoapNotice, result: Settled): Promise<void> => {
    const { entityId, journey } = notice;
    report({ channel: "soap", result, entityId });
    if (journey !== undefined && result !== "given_up") await journeys.note(journey.id, journey.index, result);
    await notices.settle(id);
  };
  const deliver = async (claimed: ClaimedSoapNotice, closing: AbortSignal): Promise<void> => {
    const { id, notice, attempts } = claimed;
    const answer = await attempt(notice, closing).catch((err: unknown): BackChannelAnswer => {
      logger.warn({ client: notice.entityId, err }, "a service provider could not be told of a logout");
      return "later";
    });
    if (answer !== "later") return settle(claimed, answer);
    const delayMs = noticeDelayMs(attempts, soapTimes);
    if (clock.now() + delayMs > notice.endedMs + giveUpMs) return settle(claimed, "given_up");
    report({ channel: "soap", result: "retried", entityId: notice.entityId });
    await notices.retry(id, delayMs);
  };
  return (claimed: ClaimedSoapNotice, closing: AbortSignal): Promise<void> =>
    deliver(claimed, closing).catch((err: unknown) => {
      logger.error({ client: claimed.notice.entityId, err }, "the result of a logout notice could not be kept");
    });
}

export function createSoapDelivery(deps: SoapDeliveryDeps): SoapDelivery {
  const { notices, logger, isReady } = deps;
  const deliver = createDeliver(deps);
  const closing = new AbortController();
  const underWay = new Set<Promise<void>>();
  const loop = createDeliveryLoop({
    look: async (signal) => {
      if (!isReady()) return;
      let claimed: readonly ClaimedSoapNotice[];
      do {
        claimed = await notices.claim(atATime);
        await Promise.all(claimed.map((one) => deliver(one, signal)));
      } while (claimed.length === atATime && !signal.aborted);
    },
    onError: (err) => logger.error({ err }, "SAML logout notices cannot be delivered"),
  });
  return {
    ...loop,
    enqueue: async (added) => {
      if (added.length === 0) return;
      await notices.add(added);
      loop.wake();
    },
    tellNow: async (added) => {
      const claimed = await notices.addClaimed(added);
      const attempted = Promise.all(claimed.map((one) => deliver(one, closing.signal))).then(() => undefined);
      underWay.add(attempted);
      void attempted.finally(() => underWay.delete(attempted));
      return { attempted };
    },
    close: async () => {
      closing.abort();
      await Promise.all([loop.close(), ...underWay]);
    },
  };
}

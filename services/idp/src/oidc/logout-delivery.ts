import type { Logger } from "@postern/shared/logging";
import { createDeliveryLoop, type DeliveryLoop } from "../logout-notices/delivery-loop.ts";
import { type NoticeTimes, noticeDelayMs } from "../logout-notices/notice-queue.ts";
import type { Generations } from "./generation.ts";
import type { ClaimedNotice, LogoutNotices } from "./logout-notices.ts";
import { logoutToken } from "./logout-token.ts";

export type NoticeResult = "delivered" | "retried" | "refused";

export interface LogoutDeliveryDeps {
  readonly notices: LogoutNotices;
  readonly generations: Generations;
  readonly logger: Logger;
  readonly count: (result: NoticeResult) => void;
  readonly times: () => NoticeTimes;
}

const atATime = 16;
/** RFC 9110: what says "later", although it is in the 400s. */
const passing: ReadonlySet<number> = new Set([408, 425, 429]);

/** By the answer: 2xx is delivered, 4xx will not change. Throws where nobody answered. */
async function send(uri: string, token: string, signal: AbortSignal): Promise<NoticeResult> {
  const response = await fetch(uri, {
    method: "POST",
    redirect: "manual",
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: new URLSearchParams({ logout_token: token }),
    signal: signal,
  });
  await response.body?.cancel();
  const { status } = response;
  if (status >= 200 && status < 300) return "delivered";
  return status >= 400 && status < 500 && !passing.has(status) ? "refused" : "retried";
}

/** One look: everything that is due. */
function createLook({ notices, generations, logger, count, times }: LogoutDeliveryDeps) {
  const attempt = async ({ notice }: ClaimedNotice, closing: AbortSignal): Promise<NoticeResult> => {
    const made = await logoutToken(generations.current(), notice);
    // The client was taken out of the configuration: there is nobody to tell.
    return made === undefined
      ? "refused"
      : send(made.uri, made.token, AbortSignal.any([closing, AbortSignal.timeout(times().timeoutMs)]));
  };
  const deliver = async (claimed: ClaimedNotice, closing: AbortSignal): Promise<void> => {
    const { id, notice, attempts } = claimed;
    const result = await attempt(claimed, closing).catch((err: unknown): NoticeResult => {
      if (attempts === 0) logger.warn({ client: notice.clientId, err }, "a client could not be told of a logout");
      return "retried";
    });
    count(result);
    if (result === "refused") logger.warn({ client: notice.clientId }, "a client refuses to hear of a logout");
    if (result === "retried") await notices.retry(id, noticeDelayMs(attempts, times()));
    else await notices.settle(id);
  };
  return async (closing: AbortSignal): Promise<void> => {
    if (!generations.isReady) return;
    let claimed: readonly ClaimedNotice[];
    do {
      claimed = await notices.claim(atATime);
      await Promise.all(claimed.map((one) => deliver(one, closing)));
    } while (claimed.length === atATime && !closing.aborted);
  };
}

export function createLogoutDelivery(deps: LogoutDeliveryDeps): DeliveryLoop {
  return createDeliveryLoop({
    look: createLook(deps),
    onError: (err) => deps.logger.error({ err }, "logout notices cannot be delivered"),
  });
}

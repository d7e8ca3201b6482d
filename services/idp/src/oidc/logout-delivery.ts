import type { Logger } from "@postern/shared/logging";
import type { Generations } from "./generation.ts";
import {
  type ClaimedNotice,
  type LogoutNotices,
  type NoticeTimes,
  noticeDelayMs,
  noticeLeaseMs,
} from "./logout-notices.ts";
import { logoutToken } from "./logout-token.ts";

export type NoticeResult = "delivered" | "retried" | "refused";

export interface LogoutDeliveryDeps {
  readonly notices: LogoutNotices;
  readonly generations: Generations;
  readonly logger: Logger;
  readonly count: (result: NoticeResult) => void;
  readonly times: () => NoticeTimes;
}

/** Tells clients of logouts, on every replica: who claims a notice delivers it. */
export interface LogoutDelivery {
  start(): void;
  /** Something is due: look at once. */
  wake(): void;
  close(): Promise<void>;
}

const lookMs = 1000;
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
function createLook({ notices, generations, logger, count, times }: LogoutDeliveryDeps, closing: AbortSignal) {
  const attempt = async ({ notice }: ClaimedNotice): Promise<NoticeResult> => {
    const made = await logoutToken(generations.current(), notice);
    // The client was taken out of the configuration: there is nobody to tell.
    return made === undefined
      ? "refused"
      : send(made.uri, made.token, AbortSignal.any([closing, AbortSignal.timeout(times().timeoutMs)]));
  };
  const deliver = async (claimed: ClaimedNotice): Promise<void> => {
    const { id, notice, attempts } = claimed;
    const result = await attempt(claimed).catch((err: unknown): NoticeResult => {
      if (attempts === 0) logger.warn({ client: notice.clientId, err }, "a client could not be told of a logout");
      return "retried";
    });
    count(result);
    if (result === "refused") logger.warn({ client: notice.clientId }, "a client refuses to hear of a logout");
    if (result === "retried") await notices.retry(id, noticeDelayMs(attempts, times()));
    else await notices.settle(id);
  };
  return async (): Promise<void> => {
    if (!generations.isReady) return;
    let claimed: readonly ClaimedNotice[];
    do {
      claimed = await notices.claim(atATime, noticeLeaseMs(times()));
      await Promise.all(claimed.map(deliver));
    } while (claimed.length === atATime && !closing.aborted);
  };
}

export function createLogoutDelivery(deps: LogoutDeliveryDeps): LogoutDelivery {
  const { logger } = deps;
  const closing = new AbortController();
  const look = createLook(deps, closing.signal);
  let timer: NodeJS.Timeout | undefined;
  let looking: Promise<void> = Promise.resolve();
  let isLooking = false;
  let isWanted = false;
  let isFailing = false;

  const lookAndWait = async (): Promise<void> => {
    isLooking = true;
    isWanted = false;
    await look().then(
      () => (isFailing = false),
      (err: unknown) => {
        // The first of a row.
        if (!isFailing) logger.error({ err }, "logout notices cannot be delivered");
        isFailing = true;
      },
    );
    isLooking = false;
    if (closing.signal.aborted) return;
    timer = setTimeout(run, isWanted ? 0 : lookMs);
    timer.unref();
  };
  const run = (): void => {
    looking = lookAndWait();
  };
  return {
    start: run,
    wake: () => {
      isWanted = true;
      if (isLooking || closing.signal.aborted || timer === undefined) return;
      clearTimeout(timer);
      run();
    },
    close: async () => {
      closing.abort();
      clearTimeout(timer);
      await looking;
    },
  };
}

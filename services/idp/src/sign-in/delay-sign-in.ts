import { type ResponseDelays, waitForDelay } from "@postern/shared/platform/concurrency";
import type { Logger } from "@postern/shared/platform/logging";
import type { KnownDevices } from "../user-notifications/known-devices-redis.ts";

export interface DelayedSignIn {
  /** The delay that the engine requests, in milliseconds. */
  readonly accountDelayMs: number;
  /** The account, or the typed name if no backend has it. */
  readonly account: string;
  /** The browser's device cookie. */
  readonly deviceToken: string | undefined;
  readonly clientIp: string;
  readonly session: string;
  /** Aborts when the browser has left. */
  readonly signal: AbortSignal;
}

/** The gateway and a person wait for the page, so the limit is below the longest delay of a mail client. */
const longestMs = 3000;

/**
 * Applies the account delay to a sign-in, unless the account has been used from this browser before.
 * @param devices undefined if none are stored.
 * @param maxWaiting maximum number of concurrent waiting pages per address.
 */
export function createDelaySignIn(
  responseDelays: ResponseDelays,
  devices: Pick<KnownDevices, "knows"> | undefined,
  maxWaiting: number,
  logger: Pick<Logger, "info">,
) {
  /** If the devices cannot be read, nothing is delayed. */
  const isKnown = async (account: string, token: string | undefined): Promise<boolean> =>
    token !== undefined && devices !== undefined && (await devices.knows(account, token).catch(() => true));
  return async (signIn: DelayedSignIn): Promise<void> => {
    const { accountDelayMs, account, deviceToken, clientIp, session, signal } = signIn;
    if (accountDelayMs === 0 || (await isKnown(account, deviceToken))) return;
    const ms = Math.min(accountDelayMs, longestMs);
    const waiting = waitForDelay(responseDelays, { key: clientIp, ms, maxPerKey: maxWaiting }, signal);
    if (waiting === undefined) return;
    logger.info({ session, held_ms: ms }, "sign-in delayed: the password of the account is being guessed");
    await waiting;
  };
}

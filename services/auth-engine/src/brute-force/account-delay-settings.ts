import { knownNetworkOf } from "@postern/shared/domain/brute-force";
import type { AccountDelaySettings } from "./brute-force-settings.ts";

/** Origin of an attempt, as its account may know it. */
export interface AccountSource {
  /** Undefined for a request without a client address, which no account knows. */
  readonly network: string | undefined;
  /** Known to every account. */
  readonly isTrusted: boolean;
}

/** Origin of a request without a client address. */
export const sourceWithoutAddress: AccountSource = { network: undefined, isTrusted: false };

export function accountSourceOf(clientIp: string, { knownEverywhere }: AccountDelaySettings): AccountSource {
  const network = knownNetworkOf(clientIp);
  return { network, isTrusted: network !== undefined && knownEverywhere?.has(clientIp) === true };
}

/** Grows linearly from the first to the longest delay, which is reached at twice as many failures. */
export function delayMs(count: number, { network }: AccountSource, settings: AccountDelaySettings): number {
  const { failures, maxDelayMs, maxDelayWithoutClientMs } = settings;
  if (count < failures) return 0;
  const limitMs = network === undefined ? maxDelayWithoutClientMs : maxDelayMs;
  return Math.round((limitMs * Math.min(failures, count - failures + 1)) / failures);
}

import { createDebtTable, type Debtor, type NowUs, takeToken } from "./debt-table.ts";
import type { Rate } from "./gcra.ts";

/** Takes a token of the address: 0, or the milliseconds until one is back. */
export type AddressRateLimit = (addressKey: string) => number;

export interface AddressRateLimitDeps {
  readonly rate: () => Rate;
  readonly now: NowUs;
  readonly maxAddresses: number;
}

function createDebtor(key: string): Debtor {
  return { key, fullAtUs: 0 };
}

/** The per-client-IP limit of routes that check no caller: each request counts (contract, "Failure-budget rules", 5). */
export function createAddressRateLimit({ rate, now, maxAddresses }: AddressRateLimitDeps): AddressRateLimit {
  const table = createDebtTable({ now, maxRows: maxAddresses, create: createDebtor, inUse: () => false });
  return (addressKey) => takeToken(table.open(addressKey), now(), rate()) / 1000;
}

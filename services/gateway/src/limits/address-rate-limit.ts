import { createDebtTable, type Debtor, type NowUs, takeToken } from "./debt-table.ts";
import type { Rate } from "./gcra.ts";

/** Takes a token of the address: returns 0, or the milliseconds until one is available. */
export type AddressRateLimit = (addressKey: string) => number;

export interface AddressRateLimitDeps {
  readonly rate: () => Rate;
  readonly now: NowUs;
  readonly maxAddresses: number;
}

function createDebtor(key: string): Debtor {
  return { key, fullAtUs: 0 };
}

/** The per-address limit of routes that authenticate no API caller: each request counts. */
export function createAddressRateLimit({ rate, now, maxAddresses }: AddressRateLimitDeps): AddressRateLimit {
  const table = createDebtTable({ now, maxRows: maxAddresses, create: createDebtor, inUse: () => false });
  return (addressKey) => takeToken(table.open(addressKey), now(), rate()) / 1000;
}

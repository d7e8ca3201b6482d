import { systemClock } from "@postern/shared/platform/time";
import { createRecordTimes, type RecordTimes } from "../../oidc/storage/record-times.ts";
import type { OidcStore } from "../../oidc/storage/store.ts";
import { createOidcStore, digestOfId } from "../../oidc/storage/store-redis.ts";
import type { OidcParts } from "./parts.ts";

export interface StorageFeature {
  readonly store: OidcStore;
  readonly times: RecordTimes;
  readonly digestOf: (id: string) => string;
}

/** The provider's records in Redis. */
export function createStorageFeature({ redis, sharedClock, keyPrefix, keys, settings }: OidcParts): StorageFeature {
  const refreshGraceMs = (): number => settings().oidc.tokens.refresh_token_grace;
  return {
    store: createOidcStore({ redis, keyPrefix, keys, clock: sharedClock, refreshGraceMs }),
    times: createRecordTimes({ own: systemClock, shared: sharedClock }),
    digestOf: digestOfId,
  };
}

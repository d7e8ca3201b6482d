import type { Clock } from "@postern/shared/time";
import type { JWK } from "oidc-provider";
import type { Generations } from "./generation.ts";
import { type OidcSettings, rotationRules } from "./oidc-settings.ts";
import { lookEveryMs, type SigningKey, type SigningKeyStore, signingOrder } from "./signing-keys.ts";

/** Keeps the generation up with the shared keys and the configuration. */
export interface KeySchedule {
  /** Looks at the keys now and puts them to use. Rejects when they cannot be read or a client is wrong. */
  refresh(): Promise<void>;
  /** Takes another configuration; when it throws, the old one stays. */
  apply(settings: OidcSettings): Promise<void>;
  readonly settings: OidcSettings;
  start(): void;
  close(): void;
}

export interface KeyScheduleDeps {
  readonly keys: SigningKeyStore;
  readonly staticKeys: (settings: OidcSettings, isActive: boolean) => readonly JWK[];
  readonly generations: Generations;
  readonly clock: Clock;
  readonly settings: OidcSettings;
  /** Told of the first failure in a row. */
  readonly onError: (error: unknown) => void;
}

const retryMs = 250;
const triesAtStart = 8;

export function createKeySchedule(deps: KeyScheduleDeps): KeySchedule {
  const { generations, clock, onError } = deps;
  let { settings } = deps;
  let timer: NodeJS.Timeout | undefined;
  let known: readonly SigningKey[] = [];
  let inUse = "";
  let failures = 0;
  let isClosed = false;

  const use = async (next: OidcSettings): Promise<void> => {
    const ordered = signingOrder(known, rotationRules(next), clock.now());
    // The first that fits signs: those of the site that only verify come last.
    const keys = [...deps.staticKeys(next, true), ...ordered.map(({ jwk }) => jwk), ...deps.staticKeys(next, false)];
    await generations.replace({ settings: next, keys });
    inUse = ordered.map(({ kid }) => kid).join(" ");
  };
  const refresh = async (): Promise<void> => {
    const found = await deps.keys.current();
    // Another replica makes the first ones.
    if (found.length === 0) return;
    known = found;
    const order = signingOrder(known, rotationRules(settings), clock.now());
    if (!generations.isReady || order.map(({ kid }) => kid).join(" ") !== inUse) await use(settings);
  };
  const look = async (): Promise<void> => {
    try {
      await refresh();
      failures = 0;
    } catch (error) {
      failures += 1;
      // The first tries of a start come before the connection does.
      if (failures === (generations.isReady ? 1 : triesAtStart)) onError(error);
    }
    if (isClosed) return;
    timer = setTimeout(() => void look(), generations.isReady ? lookEveryMs(rotationRules(settings)) : retryMs);
    timer.unref();
  };
  return {
    refresh,
    apply: async (next) => {
      if (known.length > 0) await use(next);
      settings = next;
    },
    get settings() {
      return settings;
    },
    start: () => void look(),
    close: () => {
      isClosed = true;
      clearTimeout(timer);
    },
  };
}

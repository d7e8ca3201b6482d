import type { Clock } from "@postern/shared/platform/time";
import type { JWK } from "oidc-provider";
import {
  lookEveryMs,
  rotationRules,
  type SigningKey,
  type SigningKeyStore,
  signingOrder,
} from "../keys/signing-keys.ts";
import type { OidcSettings } from "../settings/oidc-settings.ts";
import type { Generations } from "./generation.ts";

/** Replaces the generation when the shared keys or the configuration change. */
export interface KeySchedule {
  /** Reads the keys and applies them. Rejects when they cannot be read or a client is invalid. */
  refresh(): Promise<void>;
  /** Applies another configuration; if that fails, the previous one remains. */
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
  /** Called for the first of consecutive failures. */
  readonly onError: (error: unknown) => void;
}

/** Tokens and other services depend on these, so they change only at a restart, as the configuration reference says. */
function keptUntilRestart(settings: OidcSettings): Partial<OidcSettings> {
  const { issuer, identifier, backchannelAudience, certificates } = settings;
  return { issuer, identifier, backchannelAudience, certificates };
}

const retryMs = 250;
const triesAtStart = 8;

export function createKeySchedule(deps: KeyScheduleDeps): KeySchedule {
  const { generations, clock, onError } = deps;
  let { settings } = deps;
  const kept = keptUntilRestart(settings);
  let timer: NodeJS.Timeout | undefined;
  let known: readonly SigningKey[] = [];
  let inUse = "";
  let failures = 0;
  let isClosed = false;

  const use = async (next: OidcSettings): Promise<void> => {
    const ordered = signingOrder(known, rotationRules(next), clock.now());
    // The first suitable key signs, so configured keys that only verify come last.
    const keys = [...deps.staticKeys(next, true), ...ordered.map(({ jwk }) => jwk), ...deps.staticKeys(next, false)];
    await generations.replace({ settings: next, keys });
    inUse = ordered.map(({ kid }) => kid).join(" ");
  };
  const refresh = async (): Promise<void> => {
    const found = await deps.keys.current();
    // Another replica is creating the first keys.
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
      // At startup the first attempts may precede the connection.
      if (failures === (generations.isReady ? 1 : triesAtStart)) onError(error);
    }
    if (isClosed) return;
    timer = setTimeout(() => void look(), generations.isReady ? lookEveryMs(rotationRules(settings)) : retryMs);
    timer.unref();
  };
  return {
    refresh,
    apply: async (reloaded) => {
      const next = { ...reloaded, ...kept };
      if (known.length > 0) await use(next);
      settings = next;
      // The new configuration may need keys of another kind. If they cannot be created now, the next look does.
      await refresh().catch(onError);
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

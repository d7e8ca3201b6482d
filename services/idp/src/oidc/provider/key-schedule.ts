import { lookEveryMs, rotationRules, type SigningKey, signingOrder, staticKeys } from "../keys/signing-keys.ts";
import type { SigningKeyStore } from "../keys/signing-keys-redis.ts";
import type { OidcSettings } from "../settings/oidc-settings.ts";
import type { OidcParts } from "../state/context.ts";
import type { Generations } from "./generation.ts";

/** Tokens and other services depend on these, so they change only at a restart, as the configuration reference says. */
function keptUntilRestart(settings: OidcSettings): Partial<OidcSettings> {
  const { issuer, identifier, backchannelAudience, certificates } = settings;
  return { issuer, identifier, backchannelAudience, certificates };
}

/** The first suitable key signs, so configured keys that only verify come last. */
function allKeys(settings: OidcSettings, generated: readonly SigningKey[]) {
  return [...staticKeys(settings, true), ...generated.map(({ jwk }) => jwk), ...staticKeys(settings, false)];
}

const retryMs = 250;
const triesAtStart = 8;

/** Replaces the generation when the shared keys or the configuration change. */
export function createKeySchedule(parts: OidcParts, keyStore: SigningKeyStore, generations: Generations) {
  const { sharedClock: clock, logger } = parts;
  /** Called for the first of consecutive failures. */
  const onError = (err: unknown): void => logger.error({ err }, "the signing keys or clients cannot be used");
  let settings = parts.initial;
  const kept = keptUntilRestart(settings);
  let timer: NodeJS.Timeout | undefined;
  let known: readonly SigningKey[] = [];
  let inUse = "";
  let failures = 0;
  let isClosed = false;

  const use = async (next: OidcSettings): Promise<void> => {
    const ordered = signingOrder(known, rotationRules(next), clock.now());
    await generations.replace(next, allKeys(next, ordered));
    inUse = ordered.map(({ kid }) => kid).join(" ");
  };
  const refresh = async (): Promise<void> => {
    const found = await keyStore.current();
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
    /** Reads the keys and applies them. Rejects when they cannot be read or a client is invalid. */
    refresh,
    /** Applies another configuration; if that fails, the previous one remains. */
    apply: async (reloaded: OidcSettings): Promise<void> => {
      const next = { ...reloaded, ...kept };
      if (known.length > 0) await use(next);
      settings = next;
      // The new configuration may need keys of another kind. If they cannot be created now, the next look does.
      await refresh().catch(onError);
    },
    get settings(): OidcSettings {
      return settings;
    },
    start: (): void => void look(),
    close: (): void => {
      isClosed = true;
      clearTimeout(timer);
    },
  };
}

export type KeySchedule = ReturnType<typeof createKeySchedule>;

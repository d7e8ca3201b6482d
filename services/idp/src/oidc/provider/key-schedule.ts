import type { PreparedReload } from "@postern/shared/platform/lifecycle";
import type { Clock } from "@postern/shared/platform/time";
import { lookEveryMs, rotationRules, type SigningKey, signingOrder, staticKeys } from "../keys/signing-keys.ts";
import type { SigningKeyStore } from "../keys/signing-keys-redis.ts";
import type { OidcSettings } from "../settings/oidc-settings.ts";
import type { Generations } from "./generation.ts";

interface KeyScheduleDeps {
  readonly keys: Pick<SigningKeyStore, "current">;
  readonly generations: Pick<Generations, "isReady" | "prepare">;
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

const kidsOf = (keys: readonly SigningKey[]): string => keys.map(({ kid }) => kid).join(" ");

const retryMs = 250;
const triesAtStart = 8;

/** Replaces the generation when the shared keys or the configuration change. */
export class KeySchedule {
  private readonly deps: KeyScheduleDeps;
  private current: OidcSettings;
  private readonly kept: Partial<OidcSettings>;
  private readonly started = Promise.withResolvers<void>();
  private timer: NodeJS.Timeout | undefined;
  private known: readonly SigningKey[] = [];
  private inUse = "";
  private failures = 0;
  private isClosed = false;

  constructor(deps: KeyScheduleDeps) {
    this.deps = deps;
    this.current = deps.settings;
    this.kept = keptUntilRestart(deps.settings);
  }

  get settings(): OidcSettings {
    return this.current;
  }

  /** Begins to look for the keys. Resolves when they are in use, or Redis has not returned them for two seconds. */
  start(): Promise<void> {
    void this.look();
    return this.started.promise;
  }

  /** Reads the keys and applies them. Rejects when they cannot be read or a client is invalid. */
  async refresh(): Promise<void> {
    const found = await this.deps.keys.current();
    // Another replica is creating the first keys.
    if (found.length === 0) return;
    this.known = found;
    const wanted = this.current;
    if (this.deps.generations.isReady && kidsOf(this.ordered(wanted)) === this.inUse) return;
    const use = await this.prepareGeneration(wanted);
    // A reload that came into use meanwhile has looked for the keys itself.
    if (this.current === wanted) use();
  }

  /** Builds what another configuration needs. Rejects if it cannot be used. */
  async prepare(reloaded: OidcSettings): Promise<PreparedReload> {
    const next = { ...reloaded, ...this.kept };
    const use = this.known.length > 0 ? await this.prepareGeneration(next) : undefined;
    return {
      use: async () => {
        use?.();
        this.current = next;
        // The new configuration may need keys of another kind. If they cannot be created now, the next look does.
        await this.refresh().catch(this.deps.onError);
      },
    };
  }

  close(): void {
    this.isClosed = true;
    clearTimeout(this.timer);
  }

  private ordered(settings: OidcSettings): readonly SigningKey[] {
    return signingOrder(this.known, rotationRules(settings), this.deps.clock.now());
  }

  private async prepareGeneration(settings: OidcSettings): Promise<() => void> {
    const ordered = this.ordered(settings);
    // The first suitable key signs, so configured keys that only verify come last.
    const keys = [...staticKeys(settings, true), ...ordered.map(({ jwk }) => jwk), ...staticKeys(settings, false)];
    const use = await this.deps.generations.prepare(settings, keys);
    return () => {
      use();
      this.inUse = kidsOf(ordered);
    };
  }

  private async look(): Promise<void> {
    const { generations, onError } = this.deps;
    try {
      await this.refresh();
      this.failures = 0;
    } catch (error) {
      this.failures += 1;
      // At startup the first attempts may precede the connection.
      if (this.failures === (generations.isReady ? 1 : triesAtStart)) onError(error);
    }
    const { isReady } = generations;
    if (isReady || this.failures >= triesAtStart) this.started.resolve();
    if (this.isClosed) return;
    this.timer = setTimeout(() => void this.look(), isReady ? lookEveryMs(rotationRules(this.current)) : retryMs);
    this.timer.unref();
  }
}

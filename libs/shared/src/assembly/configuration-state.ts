import { createHmac } from "node:crypto";
import type { ServiceReport } from "../contracts/index.ts";
import { type Config, changedKeys } from "../platform/config/index.ts";

/** Keys below `runtime` that differ between processes of one site. */
const ofOneProcess = /(?:^|_)address$|^instance_name$/u;

/** Keys below `storage.redis`: each service may have a Redis user of its own. */
const ofOneRedisUser: ReadonlySet<string> = new Set(["username", "password"]);
const userInUrl = /(?<=^rediss?:\/\/)[^@/]*@/u;

function common({ runtime, storage, ...rest }: Config): string {
  const shared = JSON.stringify(runtime, (key, value: unknown) => (ofOneProcess.test(key) ? undefined : value));
  const stores = JSON.stringify(storage, (key, value: unknown) => {
    if (ofOneRedisUser.has(key)) return undefined;
    return typeof value === "string" ? value.replace(userInUrl, "") : value;
  });
  return shared + stores + JSON.stringify(rest);
}

/** Keyed, because the configuration contains secrets that could be guessed from a plain digest. */
function digestOf(config: Config): string {
  const key = config.runtime.services.caller_assertion.secret;
  return createHmac("sha256", key).update(common(config)).digest("hex").slice(0, 12);
}

export type ConfigurationState = ReturnType<typeof createConfigurationState>;

const maxKeys = 100;
const maxReasonCharacters = 500;

/** Which configuration a process has, and how it differs from the one that it started with. */
export function createConfigurationState(first: Config, now: () => number) {
  const stateOf = (config: Config): ServiceReport["configuration"] => {
    const changed = changedKeys(first, config);
    const waiting = changed.filter(([, reload]) => reload === "restart");
    return {
      digest: digestOf(config),
      loadedMs: now(),
      changed: changed.slice(0, maxKeys).map(([path]) => path),
      needsRestart: waiting.slice(0, maxKeys).map(([path]) => path),
    };
  };
  let current = first;
  let state = stateOf(first);
  return {
    current: (): Config => current,
    reloaded: (next: Config): void => {
      current = next;
      state = stateOf(next);
    },
    /** A reload was refused: the current configuration stays, and operators see why. */
    refused: (reasons: readonly string[]): void => {
      state = { ...state, refused: { atMs: now(), reason: reasons.join("; ").slice(0, maxReasonCharacters) } };
    },
    report: (): ServiceReport["configuration"] => state,
  };
}

import { type Bridge, createBridge } from "../../oidc/provider/bridge.ts";
import { createFinish } from "../../oidc/provider/finish.ts";
import { createGenerations, type Generations } from "../../oidc/provider/generation.ts";
import type { KeySchedule } from "../../oidc/provider/key-schedule.ts";
import { createSchedule } from "./keys.ts";
import type { OidcParts } from "./parts.ts";
import { createHooks, type HookedFeatures } from "./provider-hooks.ts";

export interface ProviderFeature {
  readonly generations: Generations;
  readonly schedule: KeySchedule;
  readonly bridge: Bridge;
  readonly finish: ReturnType<typeof createFinish>;
}

/** The provider, what creates its generations, and how requests and ended flows reach it. */
export function createProviderFeature(parts: OidcParts, features: HookedFeatures): ProviderFeature {
  const { sessions, logger } = parts;
  const { accounts, consents } = features;
  const generations = createGenerations(createHooks(parts, features));
  const current = () => generations.current();
  const bridge = createBridge(current);
  return {
    generations,
    schedule: createSchedule(parts, generations),
    bridge,
    finish: createFinish({
      current,
      bridge,
      consents,
      sessions,
      accounts,
      onNoSubject: (account, client) =>
        logger.error({ account, client }, "sign-in refused: the account lacks the mapped unique_user_id_field"),
    }),
  };
}

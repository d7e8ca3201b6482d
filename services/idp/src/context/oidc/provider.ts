import { type Bridge, createBridge } from "../../oidc/provider/bridge.ts";
import { createFinish } from "../../oidc/provider/finish.ts";
import { createGenerations, type Generation, type Generations } from "../../oidc/provider/generation.ts";
import { createKeysFeature, type KeysFeature } from "./keys.ts";
import type { OidcParts } from "./parts.ts";
import { createHooks, type HookedFeatures } from "./provider-hooks.ts";

export interface ProviderFeature extends KeysFeature {
  readonly generations: Generations;
  readonly bridge: Bridge;
  readonly finish: ReturnType<typeof createFinish>;
}

/** The provider, what creates its generations, and how requests and ended flows reach it. */
export function createProviderFeature(parts: OidcParts, features: HookedFeatures): ProviderFeature {
  const { sessions, logger } = parts;
  const { consents, outcomes, times } = features;
  const current = (): Generation => generations.current();
  const generations: Generations = createGenerations(createHooks(parts, features, () => current().policies));
  const bridge = createBridge(current);
  return {
    generations,
    ...createKeysFeature(parts, generations),
    bridge,
    finish: createFinish({
      current,
      bridge,
      consents,
      outcomes,
      sessions,
      times,
      onNoSubject: (account, client) =>
        logger.error({ account, client }, "sign-in refused: the account lacks the mapped unique_user_id_field"),
    }),
  };
}

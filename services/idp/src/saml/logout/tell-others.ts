import type { SamlKeys } from "../keys/saml-keys.ts";
import type { Providers } from "../providers.ts";
import type { SamlSettings } from "../saml-settings.ts";
import type { TellByBackChannel } from "./back-channel.ts";
import type { Participant } from "./participants.ts";

export interface TellOthersDeps {
  readonly settings: () => SamlSettings;
  readonly providers: () => Providers;
  readonly keys: () => Promise<SamlKeys>;
  readonly tell: TellByBackChannel;
}

/** Who was told of a logout, and who was not. */
export interface Told {
  readonly told: readonly string[];
  readonly untold: readonly string[];
}

/** Tells service providers of a logout, all at once and `max_participants` at most. */
export function createTellOthers({ settings, providers, keys, tell }: TellOthersDeps) {
  const tellOne = async (participant: Participant): Promise<boolean> => {
    const provider = providers().find(participant.entityId);
    const { slo } = settings().saml;
    if (provider === undefined || !slo.back_channel_enabled) return false;
    return provider.config.slo_back_channel_url !== "" && tell(participant, provider, await keys());
  };
  return async (listed: readonly Participant[]): Promise<Told> => {
    const limit = settings().saml.slo.max_participants;
    const results = await Promise.all(
      listed.map(async (participant, index) => ({
        entityId: participant.entityId,
        isTold: index < limit && (await tellOne(participant)),
      })),
    );
    return {
      told: results.filter(({ isTold }) => isTold).map(({ entityId }) => entityId),
      untold: results.filter(({ isTold }) => !isTold).map(({ entityId }) => entityId),
    };
  };
}

export type TellOthers = ReturnType<typeof createTellOthers>;

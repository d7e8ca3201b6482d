import { systemClock } from "@postern/shared/platform/time";
import { createManageClient, type ManageClient } from "../../oidc/registered/manage-client.ts";
import { type ClientFault, createRegisterClient, type RegisterClient } from "../../oidc/registered/register-client.ts";
import { createRegisteredClients, type RegisteredClients } from "../../oidc/registered/registered-clients.ts";
import { createRegistrations, type Registrations } from "../../oidc/registered/registrations-redis.ts";
import type { OidcParts } from "./parts.ts";
import type { TokensFeature } from "./tokens.ts";

export interface RegisteredFeature {
  readonly registrations: Registrations;
  readonly registered: RegisteredClients;
  readonly registerClient: RegisterClient;
  readonly manageClient: ManageClient;
}

/** Clients that registered themselves. */
export function createRegisteredFeature(
  { redis, keyPrefix, keys, settings }: OidcParts,
  { records }: TokensFeature,
  faultOf: ClientFault,
): RegisteredFeature {
  const clock = systemClock;
  const registrations = createRegistrations({ redis, keyPrefix, keys, clock });
  const oidc = () => settings().oidc;
  const unusedSeconds = (kind: "mail" | "full"): number => {
    const { mail_registration: mail, dynamic_registration: full } = oidc();
    return Math.ceil((kind === "mail" ? mail : full).unused_ttl / 1000);
  };
  return {
    registrations,
    registered: createRegisteredClients({ registrations, clock, unusedSeconds }),
    registerClient: createRegisterClient({ registrations, settings: oidc, faultOf, clock }),
    manageClient: createManageClient({
      registrations,
      records,
      settings: () => oidc().dynamic_registration,
      faultOf,
    }),
  };
}

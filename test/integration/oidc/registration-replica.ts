import { loadConfig } from "@postern/shared/platform/config";
import { createKeyRing, Secret } from "@postern/shared/platform/crypto";
import type { RedisClient } from "@postern/shared/platform/redis";
import { createManageClient } from "../../../services/idp/src/oidc/registration/manage-client.ts";
import {
  createRegisterClient,
  type RegistrationSettings,
} from "../../../services/idp/src/oidc/registration/register-client.ts";
import { createRegisteredClients } from "../../../services/idp/src/oidc/registration/registered-clients.ts";
import { createRegistrations } from "../../../services/idp/src/oidc/registration/registrations-redis.ts";

export const keyPrefix = "postern:";
export const scope = "urn:ietf:params:oauth:scope:mail";
export const body = { client_name: "Example Mail", scope, redirect_uris: ["http://127.0.0.1/callback"] };
export const clock = { nowMs: 0, now: () => clock.nowMs };

function settingsOf(mail: object, full: object): RegistrationSettings {
  const identity = { oidc: { mail_registration: mail, dynamic_registration: full } };
  const loaded = loadConfig({ text: JSON.stringify({ identity }), env: {}, readFile: () => "" });
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
  const { mail_registration, dynamic_registration } = loaded.config.identity.oidc;
  return {
    mail_registration: { ...mail_registration, enabled: true },
    dynamic_registration: { ...dynamic_registration, enabled: true },
  };
}

/** One replica. */
export function replicaAt(redis: RedisClient, mail: object = {}, full: object = { open: true }) {
  const settings = settingsOf(mail, full);
  const keys = createKeyRing([new Secret("test-encryption-secret")], "oidc");
  const registrations = createRegistrations(redis, keyPrefix, keys, clock);
  return {
    registrations,
    clients: createRegisteredClients(registrations, undefined, () => settings, clock),
    register: createRegisterClient(
      registrations,
      () => settings,
      () => undefined,
      { clock, region: undefined },
    ),
    manage: createManageClient(
      registrations,
      { revokeClient: async () => {} },
      () => settings.dynamic_registration,
      () => undefined,
    ),
  };
}

export const network = (count: number): string => `198.51.${Math.floor(count / 250)}.${count % 250}`;

import type { OidcClientConfig } from "@postern/shared/config";
import { AppError } from "@postern/shared/errors";
import type { ConnectedApplications } from "../login/connected-applications.ts";
import { demandsOf, type MfaPolicyConfig } from "../login/sign-in-demands.ts";
import type { SessionStore } from "../sessions/session-store.ts";
import type { Consents } from "./consents.ts";
import { textOf } from "./json.ts";
import type { OidcStore } from "./store.ts";
import type { TokenRecords } from "./token-records.ts";

export interface ApplicationDeps {
  readonly store: Pick<OidcStore, "list">;
  readonly records: Pick<TokenRecords, "revokeGrant">;
  readonly consents: Pick<Consents, "forget">;
  readonly sessions: Pick<SessionStore, "list" | "merge">;
  readonly clients: () => readonly OidcClientConfig[];
  readonly mfaPolicy: () => MfaPolicyConfig;
}

interface Connection {
  readonly clientId: string;
  readonly grantId: string | undefined;
}

/** By tokens that live, and by what the user's sessions have been used for. */
export function createApplications({
  store,
  records,
  consents,
  sessions,
  clients,
  mfaPolicy,
}: ApplicationDeps): ConnectedApplications {
  const connections = async (accountId: string): Promise<readonly Connection[]> => {
    const listed = await store.list("account", accountId).catch((cause: unknown) => {
      throw new AppError("REDIS_UNAVAILABLE", { detail: "tokens of an account cannot be listed", cause });
    });
    const byToken = listed.flatMap(({ payload }) => {
      const clientId = textOf(payload.clientId);
      return clientId === undefined ? [] : [{ clientId, grantId: textOf(payload.grantId) }];
    });
    const bySession = (await sessions.list(accountId)).flatMap(({ authorizations }) =>
      Object.entries(authorizations).map(([clientId, { grantId }]) => ({ clientId, grantId })),
    );
    return [...byToken, ...bySession];
  };
  return {
    list: async (accountId) => {
      const ids = new Set((await connections(accountId)).map(({ clientId }) => clientId));
      return clients()
        .filter((client) => ids.has(client.client_id))
        .map((client) => {
          const { client_id: id, name } = client;
          return { id, name: name === "" ? id : name, demands: demandsOf(client, mfaPolicy()) };
        });
    },
    disconnect: async (accountId, clientId) => {
      const grants = (await connections(accountId))
        .filter((connection) => connection.clientId === clientId)
        .flatMap(({ grantId }) => (grantId === undefined ? [] : [grantId]));
      await consents.forget(accountId, clientId);
      await Promise.all([...new Set(grants)].map((grantId) => records.revokeGrant(grantId)));
      const used = (await sessions.list(accountId)).filter(({ authorizations }) =>
        Object.hasOwn(authorizations, clientId),
      );
      await Promise.all(used.map(({ uid }) => sessions.merge(uid, { forgets: clientId })));
    },
  };
}

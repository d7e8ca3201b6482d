import type { OidcClientConfig } from "@postern/shared/platform/config";
import { AppError } from "@postern/shared/platform/errors";
import type { ConnectedApplications } from "../../login/connected-applications.ts";
import { demandsOf, type MfaPolicyConfig } from "../../login/sign-in-demands.ts";
import type { SessionStore } from "../../sessions/session-store.ts";
import type { SubjectsOfAccount } from "../accounts/account-subjects.ts";
import type { Consents } from "../grants/consents.ts";
import { textOf } from "../storage/json.ts";
import type { OidcStore } from "../storage/store.ts";
import type { TokenRecords } from "../tokens/token-records.ts";

export interface ApplicationDeps {
  readonly store: Pick<OidcStore, "list">;
  readonly subjectsOfAccount: SubjectsOfAccount;
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

/** Connected applications: the clients with valid tokens of the user, and those that the user's sessions were used for. */
export function createApplications({
  store,
  subjectsOfAccount,
  records,
  consents,
  sessions,
  clients,
  mfaPolicy,
}: ApplicationDeps): ConnectedApplications {
  const connections = async (account: string): Promise<readonly Connection[]> => {
    const lists = (await subjectsOfAccount(account)).map((accountId) => store.list("account", accountId));
    const listed = (
      await Promise.all(lists).catch((cause: unknown) => {
        throw new AppError("REDIS_UNAVAILABLE", { detail: "the tokens of an account cannot be listed", cause });
      })
    ).flat();
    const byToken = listed.flatMap(({ payload }) => {
      // The own token of a client that has the user's name.
      if (payload.accountId === undefined) return [];
      const clientId = textOf(payload.clientId);
      return clientId === undefined ? [] : [{ clientId, grantId: textOf(payload.grantId) }];
    });
    const bySession = (await sessions.list(account)).flatMap(({ authorizations }) =>
      Object.entries(authorizations).map(([clientId, { grantId }]) => ({ clientId, grantId })),
    );
    return [...byToken, ...bySession];
  };
  return {
    list: async (account) => {
      const ids = new Set((await connections(account)).map(({ clientId }) => clientId));
      return clients()
        .filter((client) => ids.has(client.client_id))
        .map((client) => {
          const { client_id: id, name } = client;
          return { id, name: name === "" ? id : name, demands: demandsOf(client, mfaPolicy()) };
        });
    },
    disconnect: async (account, clientId) => {
      const grants = (await connections(account))
        .filter((connection) => connection.clientId === clientId)
        .flatMap(({ grantId }) => (grantId === undefined ? [] : [grantId]));
      await Promise.all((await subjectsOfAccount(account)).map((accountId) => consents.forget(accountId, clientId)));
      await Promise.all([...new Set(grants)].map((grantId) => records.revokeGrant(grantId)));
      const used = (await sessions.list(account)).filter(({ authorizations }) =>
        Object.hasOwn(authorizations, clientId),
      );
      await Promise.all(used.map(({ uid }) => sessions.merge(uid, { forgets: clientId })));
    },
  };
}

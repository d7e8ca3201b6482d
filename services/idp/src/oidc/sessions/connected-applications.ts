import type { OidcClientConfig } from "@postern/shared/platform/config";
import { AppError } from "@postern/shared/platform/errors";
import type { ConnectedApplications } from "../../account/connected-applications.ts";
import { demandsOf, type MfaPolicyConfig } from "../../second-factors/sign-in-demands.ts";
import type { SessionStore } from "../../sessions/session-store-redis.ts";
import type { SubjectsOfAccount } from "../accounts/accounts.ts";
import { startAddress } from "../clients/address-rules.ts";
import type { Consents } from "../grants/consents-redis.ts";
import { kindOfId } from "../registration/registration.ts";
import { textOf } from "../storage/json.ts";
import type { OidcStore } from "../storage/store.ts";
import type { TokenRecords } from "../tokens/token-records.ts";

export interface ApplicationDeps {
  readonly store: Pick<OidcStore, "list">;
  readonly subjectsOfAccount: SubjectsOfAccount;
  readonly records: Pick<TokenRecords, "revokeGrant">;
  readonly consents: Pick<Consents, "forget">;
  readonly sessions: Pick<SessionStore, "listAll" | "merge">;
  readonly issuer: string;
  readonly clients: () => readonly OidcClientConfig[];
  /** A client of dynamic registration; undefined if it is not registered. */
  readonly registeredClient: (id: string) => Promise<OidcClientConfig | undefined>;
  readonly mfaPolicy: () => MfaPolicyConfig;
}

interface Connection {
  readonly clientId: string;
  readonly grantId: string | undefined;
}

function nameOf({ name, client_id: id }: OidcClientConfig): string {
  return name === "" ? id : name;
}

async function registered(
  ids: ReadonlySet<string>,
  read: ApplicationDeps["registeredClient"],
): Promise<readonly OidcClientConfig[]> {
  const found = [...ids].filter((id) => kindOfId(id) === "full").map((id) => read(id));
  return (await Promise.all(found)).filter((client) => client !== undefined);
}

type ConnectionsOf = (account: string) => Promise<readonly Connection[]>;

function createConnections({ store, subjectsOfAccount, sessions }: ApplicationDeps): ConnectionsOf {
  return async (account) => {
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
    const bySession = (await sessions.listAll(account)).flatMap(({ authorizations }) =>
      Object.entries(authorizations).map(([clientId, { grantId }]) => ({ clientId, grantId })),
    );
    return [...byToken, ...bySession];
  };
}

function createDisconnect(
  { subjectsOfAccount, records, consents, sessions }: ApplicationDeps,
  connections: ConnectionsOf,
): ConnectedApplications["disconnect"] {
  return async (account, clientId) => {
    const grants = (await connections(account))
      .filter((connection) => connection.clientId === clientId)
      .flatMap(({ grantId }) => (grantId === undefined ? [] : [grantId]));
    await Promise.all((await subjectsOfAccount(account)).map((accountId) => consents.forget(accountId, clientId)));
    await Promise.all([...new Set(grants)].map((grantId) => records.revokeGrant(grantId)));
    const used = (await sessions.listAll(account)).filter(({ authorizations }) =>
      Object.hasOwn(authorizations, clientId),
    );
    await Promise.all(used.map(({ uid }) => sessions.merge(uid, { forgets: clientId })));
  };
}

/** Connected applications: the clients with valid tokens of the user, and those that the user's sessions were used for. */
export function createApplications(deps: ApplicationDeps): ConnectedApplications {
  const { issuer, clients, registeredClient, mfaPolicy } = deps;
  const connections = createConnections(deps);
  const disconnect = createDisconnect(deps, connections);
  const idsOf = async (account: string): Promise<ReadonlySet<string>> =>
    new Set((await connections(account)).map(({ clientId }) => clientId));
  const registeredAmong = (ids: ReadonlySet<string>) => registered(ids, registeredClient);
  return {
    list: async (account) => {
      const ids = await idsOf(account);
      const configured = clients().filter((client) => ids.has(client.client_id));
      return [...configured, ...(await registeredAmong(ids))].map((client) => {
        return { id: client.client_id, name: nameOf(client), demands: demandsOf(client, mfaPolicy()) };
      });
    },
    startable: async (account) => {
      // Otherwise anyone could put an application on every user's page by registering it.
      const connected = await registeredAmong(await idsOf(account));
      return [...clients(), ...connected].flatMap((client) => {
        const address = startAddress(client, issuer);
        return address === undefined ? [] : [{ name: nameOf(client), address }];
      });
    },
    disconnect,
    disconnectAll: async (account) => {
      const ids = [...(await idsOf(account))];
      for (const id of ids) await disconnect(account, id);
      return ids;
    },
  };
}

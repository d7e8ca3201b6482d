import type { OidcClientConfig } from "@postern/shared/platform/config";
import { domainLimit } from "../../domains/account-domains.ts";
import { demandsOf } from "../../second-factors/sign-in-demands.ts";
import { startAddress } from "../clients/address-rules.ts";
import type { ClientPolicies } from "../clients/clients.ts";
import { kindOfId } from "../registration/registration.ts";
import type { OidcParts, OidcState } from "../state/context.ts";
import { textOf } from "../storage/models.ts";

function nameOf({ name, client_id: id }: OidcClientConfig): string {
  return name === "" ? id : name;
}

function createConnections({ sessions }: OidcParts, { recordsOf }: OidcState) {
  return async (account: string) => {
    const byToken = (await recordsOf(account)).flatMap(({ payload }) => {
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
  { sessions }: OidcParts,
  { subjectsOfAccount, records, consents }: OidcState,
  connections: ReturnType<typeof createConnections>,
): (account: string, clientId: string) => Promise<void> {
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

/**
 * Connected applications: the clients with valid tokens of the user, and those that the user's sessions were used for. Every method throws
 * AppError `REDIS_UNAVAILABLE` if Redis cannot answer.
 */
export function createApplications(parts: OidcParts, state: OidcState, policies: () => ClientPolicies) {
  const { initial, settings, domains } = parts;
  const clients = () => settings().oidc.clients;
  const connections = createConnections(parts, state);
  const disconnect = createDisconnect(parts, state, connections);
  const idsOf = async (account: string): Promise<ReadonlySet<string>> =>
    new Set((await connections(account)).map(({ clientId }) => clientId));
  /** A client of dynamic registration; undefined if it is not registered. */
  const registeredClient = async (id: string): Promise<OidcClientConfig | undefined> => {
    await state.registered.load(id);
    return policies().get(id)?.config;
  };
  const registeredAmong = async (ids: ReadonlySet<string>): Promise<readonly OidcClientConfig[]> => {
    const found = await Promise.all([...ids].filter((id) => kindOfId(id) === "full").map(registeredClient));
    return found.filter((client) => client !== undefined);
  };
  return {
    list: async (account: string) => {
      const ids = await idsOf(account);
      const configured = clients().filter((client) => ids.has(client.client_id));
      return [...configured, ...(await registeredAmong(ids))].map((client) => {
        return { id: client.client_id, name: nameOf(client), demands: demandsOf(client, settings().mfaPolicy) };
      });
    },
    /**
     * Applications in which the user can start a sign-in from here (OpenID Connect Core §4): what the site offers to every user of the account's
     * domain, and connected applications that registered themselves. The address is that of the application's page, with the issuer.
     */
    startable: async (account: string) => {
      // Otherwise anyone could put an application on every user's page by registering it.
      const connected = await registeredAmong(await idsOf(account));
      const isFor = await Promise.all(
        clients().map(({ domains: names }) => domains.isWithin(account, domainLimit(names))),
      );
      const offered = clients().filter((_client, index) => isFor[index]);
      return [...offered, ...connected].flatMap((client) => {
        const address = startAddress(client, initial.issuer);
        return address === undefined ? [] : [{ name: nameOf(client), address }];
      });
    },
    /** Revokes the application's tokens and the user's consent. */
    disconnect,
    /**
     * Disconnects all, also clients that the configuration no longer has, whose signed tokens are valid until they expire.
     * @returns their ids
     */
    disconnectAll: async (account: string): Promise<readonly string[]> => {
      const ids = [...(await idsOf(account))];
      for (const id of ids) await disconnect(account, id);
      return ids;
    },
  };
}

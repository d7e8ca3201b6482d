import type { TokenSubject } from "@postern/shared/tokens";
import type { SessionStore } from "../sessions/session-store.ts";
import type { OidcAccounts } from "./accounts.ts";
import type { ClientPolicies } from "./clients.ts";

const clientPrefix = "client:";

/** Names under which a client's own tokens are asked for. */
export function clientNames(clientId: string): readonly string[] {
  return [clientId, `${clientPrefix}${clientId}`];
}

export interface SessionOwnerDeps {
  readonly accounts: Pick<OidcAccounts, "find">;
  readonly sessions: Pick<SessionStore, "list">;
  readonly policies: () => ClientPolicies;
}

/** Whom a `user_id` of the admin routes names. Rejects when that cannot be found out. */
export type OwnersOf = (userId: string) => Promise<readonly TokenSubject[]>;

/**
 * A user; also the client of that name, as long as no user has it. `client:<client_id>` is the client alone, where such
 * a client is registered and no user has that name.
 */
export function createOwnersOf({ accounts, sessions, policies }: SessionOwnerDeps): OwnersOf {
  const isUser = async (id: string): Promise<boolean> =>
    (await accounts.find(id)) !== undefined || (await sessions.list(id)).length > 0;
  return async (userId) => {
    const user: TokenSubject = { kind: "user", id: userId };
    const named = userId.startsWith(clientPrefix) ? userId.slice(clientPrefix.length) : undefined;
    const isAlone = named !== undefined && policies().has(named);
    const client = isAlone ? named : userId;
    if (!policies().has(client) || (await isUser(userId))) return [user];
    return isAlone ? [{ kind: "client", id: client }] : [user, { kind: "client", id: client }];
  };
}

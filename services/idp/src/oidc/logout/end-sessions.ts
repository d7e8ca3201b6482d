import type { DeliveryLoop } from "../../logout-delivery/delivery-loop.ts";
import type { BrowserSessionRecord } from "../../sessions/browser-session.ts";
import type { Generations } from "../provider/generation.ts";
import type { Owners } from "../sessions/session-owner.ts";
import type { OidcParts, OidcState } from "../state/context.ts";
import type { StoredRecord } from "../storage/store-redis.ts";
import type { LogoutDeliveries, LogoutDelivery } from "./logout-deliveries-redis.ts";

function deliveriesOf({ accountId, authorizations }: BrowserSessionRecord): readonly LogoutDelivery[] {
  return Object.entries(authorizations).map(([clientId, { sid }]) => ({ clientId, sub: accountId, sid }));
}

/** One delivery per client and subject, for clients that hold tokens of the user but none of these sessions. */
function deliveriesOfTokens(
  held: readonly StoredRecord[],
  sessionDeliveries: readonly LogoutDelivery[],
): readonly LogoutDelivery[] {
  const known = new Set(sessionDeliveries.map(({ clientId, sub }) => JSON.stringify([clientId, sub])));
  return held.flatMap(({ payload: { clientId, accountId: sub } }) => {
    if (clientId === undefined || sub === undefined) return [];
    const key = JSON.stringify([clientId, sub]);
    if (known.has(key)) return [];
    known.add(key);
    return [{ clientId, sub }];
  });
}

/** Ends sign-ins: revokes tokens and notifies clients. All methods reject when that fails; repeating them is safe. */
export function createEndSessions(
  { sessions, settings, onClosed, regionLog }: OidcParts,
  { records, store }: OidcState,
  {
    generations,
    deliveries,
    delivery,
  }: { readonly generations: Generations; readonly deliveries: LogoutDeliveries; readonly delivery: DeliveryLoop },
) {
  const enqueue = async (all: readonly LogoutDelivery[]): Promise<void> => {
    // A client that is unknown here may be known to a replica with a newer configuration, which then delivers the message.
    const wanted = all.filter(
      ({ clientId }) => generations.current().policies.get(clientId)?.config.backchannel_logout_uri !== "",
    );
    if (!settings().oidc.logout.back_channel_supported || wanted.length === 0) return;
    await deliveries.add(wanted);
    delivery.wake();
  };
  const ended = async (session: BrowserSessionRecord): Promise<void> => {
    await Promise.all([records.revokeSession(session), enqueue(deliveriesOf(session))]);
  };
  const endOwners = async ({ accounts, subjects }: Owners): Promise<void> => {
    const users = subjects.filter(({ kind }) => kind === "user");
    const held = (await Promise.all(users.map(({ id }) => store.list("account", id)))).flat();
    // Browser sessions first: an authorization in progress then finds no session and is refused.
    const closed: BrowserSessionRecord[] = [];
    for (const account of accounts) closed.push(...(await sessions.endAll(account)));
    for (const subject of subjects) await records.revokeSubject(subject);
    const sessionDeliveries = closed.flatMap(deliveriesOf);
    await enqueue([...sessionDeliveries, ...deliveriesOfTokens(held, sessionDeliveries)]);
    for (const session of closed) await onClosed(session);
  };
  return {
    /** Revokes the tokens of a session that has already ended, and notifies its clients. */
    ended,
    /** Ends everything of a user: browser sessions, devices, all tokens; of a client, the tokens issued to itself. */
    endOwners,
    /** The same in all regions. Those of other regions end when they hear of it. */
    endOwnersEverywhere: async (owners: Owners): Promise<void> => {
      await endOwners(owners);
      await regionLog?.append(...owners.accounts.map((account) => ({ kind: "session-end", account }) as const));
    },
  };
}

export type EndSessions = ReturnType<typeof createEndSessions>;

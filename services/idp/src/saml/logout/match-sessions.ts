import type { BrowserSessionRecord } from "../../sessions/browser-session.ts";
import type { Participants } from "../state/participants-redis.ts";
import type { NamedLogout } from "./waiting-logouts-redis.ts";

/** The sessions that a request names: only sessions of this service provider with exactly this name ID. */
export async function matchSessions(
  participants: Pick<Participants, "find" | "sessionOf">,
  { nameId, sessionIndexes }: Pick<NamedLogout, "nameId" | "sessionIndexes">,
  { entityId, current }: { readonly entityId: string; readonly current: BrowserSessionRecord | undefined },
): Promise<readonly string[]> {
  const named = await Promise.all(sessionIndexes.map((index) => participants.sessionOf(entityId, index)));
  const candidates = sessionIndexes.length > 0 ? named : [current?.uid];
  const checked = await Promise.all(
    candidates.map(async (uid) => {
      const participant = uid === undefined ? undefined : await participants.find(uid, entityId);
      const isNamed = sessionIndexes.length === 0 || sessionIndexes.includes(participant?.sessionIndex ?? "");
      return uid !== undefined && isNamed && participant?.nameId.value === nameId ? [uid] : [];
    }),
  );
  return [...new Set(checked.flat())];
}

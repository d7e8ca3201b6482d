import type { Clock } from "@postern/shared/platform/time";
import type { RegistrationSettings } from "./register-client.ts";
import type { RegisteredElsewhere } from "./registered-elsewhere.ts";
import { kindOfId, type Registration } from "./registration.ts";
import type { Registrations } from "./registrations-redis.ts";

/** Far more than one process serves at a time. */
const maxRecent = 10_000;
/** A busy client is written once an hour. */
const writeEverySeconds = 3600;

/** The registered clients that requests name, read from Redis, or at the region that they name, for each request and kept in memory while it is served. */
export function createRegisteredClients(
  registrations: Registrations,
  elsewhere: RegisteredElsewhere,
  settings: () => RegistrationSettings,
  clock: Clock,
) {
  const recent = new Map<string, Registration>();
  const remember = (id: string, found: Registration | undefined): void => {
    recent.delete(id);
    if (found === undefined) return;
    recent.set(id, found);
    const [oldest] = recent.keys();
    if (recent.size > maxRecent && oldest !== undefined) recent.delete(oldest);
  };
  return {
    /** Reads a client; undefined for an identifier that no registered client has. Rejects without Redis. */
    load: async (id: string): Promise<Registration | undefined> => {
      if (kindOfId(id) === undefined) return undefined;
      const found = await (elsewhere.read(id, false) ?? registrations.find(id));
      remember(id, found);
      return found;
    },
    /** What the last `load` of this identifier found. */
    recent: (id: string): Registration | undefined => recent.get(id),
    /** Extends a registration because a token is about to be issued to the client. Rejects without Redis. */
    keep: async (id: string): Promise<void> => {
      const known = recent.get(id);
      if (known === undefined) return;
      const now = Math.floor(clock.now() / 1000);
      if (known.usedAt !== undefined && now - known.usedAt < writeEverySeconds) return;
      const change = (current: Registration): Registration => {
        const { mail_registration: mail, dynamic_registration: full } = settings();
        const { unused_ttl: unusedMs } = current.kind === "mail" ? mail : full;
        return { ...current, usedAt: now, endsAt: now + Math.ceil(unusedMs / 1000) };
      };
      remember(id, await (elsewhere.read(id, true) ?? registrations.change(id, change)));
    },
  };
}

import { readRegistration } from "@postern/shared/contracts";
import { type RegionCalls, tagOf } from "@postern/shared/domain/region-calls";
import { AppError } from "@postern/shared/platform/errors";
import { type Clock, steadyClock } from "@postern/shared/platform/time";
import type { RegistrationSettings } from "./register-client.ts";
import { isRegistration, kindOfId, type Registration } from "./registration.ts";
import type { Registrations } from "./registrations-redis.ts";

/** Far more than one process serves at a time. */
const maxRecent = 10_000;
/** A busy client is written once an hour. */
const writeEverySeconds = 3600;

const waitMs = 3000;

async function askRegion(
  calls: RegionCalls,
  region: string,
  id: string,
  isUsed: boolean,
): Promise<Registration | undefined> {
  const options = { deadline: steadyClock.now() + waitMs };
  const { registration } = await calls.ask(region, readRegistration, { id, isUsed }, options);
  if (registration === undefined || isRegistration(registration)) return registration;
  throw new AppError("UPSTREAM_UNAVAILABLE", { detail: `region ${region} answered no registration` });
}

/** The registered clients that requests name, read from Redis, or at the region that they name, for each request and kept in memory while it is served. */
export function createRegisteredClients(
  registrations: Registrations,
  calls: RegionCalls | undefined,
  settings: () => RegistrationSettings,
  clock: Clock,
) {
  const recent = new Map<string, Registration>();
  /**
   * Undefined for a client of this region. Otherwise rejects with an AppError of the kind `unavailable` while the other one, which keeps the
   * client, is away.
   * @param isUsed whether a token is about to be issued, which extends the registration
   */
  const readElsewhere = (id: string, isUsed: boolean): Promise<Registration | undefined> | undefined => {
    const region = calls?.elsewhere(tagOf(id));
    return calls === undefined || region === undefined ? undefined : askRegion(calls, region, id, isUsed);
  };
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
      const found = await (readElsewhere(id, false) ?? registrations.find(id));
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
      remember(id, await (readElsewhere(id, true) ?? registrations.change(id, change)));
    },
  };
}

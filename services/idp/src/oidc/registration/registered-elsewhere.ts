import { readRegistration } from "@postern/shared/contracts";
import { type RegionCalls, tagOf } from "@postern/shared/domain/region-calls";
import { AppError } from "@postern/shared/platform/errors";
import { steadyClock } from "@postern/shared/platform/time";
import { isRegistration, type Registration } from "./registration.ts";

const waitMs = 3000;

async function ask(calls: RegionCalls, region: string, id: string, isUsed: boolean): Promise<Registration | undefined> {
  const options = { deadline: steadyClock.now() + waitMs };
  const { registration } = await calls.ask(region, readRegistration, { id, isUsed }, options);
  if (registration === undefined || isRegistration(registration)) return registration;
  throw new AppError("UPSTREAM_UNAVAILABLE", { detail: `region ${region} answered no registration` });
}

/** Clients that registered themselves in other regions, which keep them. */
export function registeredElsewhere(calls: RegionCalls | undefined) {
  return {
    /**
     * Undefined for a client of this region. Otherwise rejects with an AppError of the kind `unavailable` while the other one is away.
     * @param isUsed whether a token is about to be issued, which extends the registration
     */
    read: (id: string, isUsed: boolean): Promise<Registration | undefined> | undefined => {
      const region = calls?.elsewhere(tagOf(id));
      return calls === undefined || region === undefined ? undefined : ask(calls, region, id, isUsed);
    },
  };
}

export type RegisteredElsewhere = ReturnType<typeof registeredElsewhere>;

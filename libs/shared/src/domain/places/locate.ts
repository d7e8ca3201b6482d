import { type AddressPlace, locateAddresses, maxLocated, type Reply, type Request } from "../../contracts/index.ts";
import type { Bus } from "../../platform/bus/index.ts";
import { steadyClock } from "../../platform/time/clock.ts";

/** `off`: no files are configured. `unavailable`: no engine answered, or only those of an earlier version are running. */
export type PlacesState = "known" | "off" | "unavailable";

export interface LocatedAddresses {
  readonly state: PlacesState;
  /** Empty for an address of which nothing is known. */
  readonly placeOf: (address: string) => AddressPlace;
}

/** Never rejects. */
export type Locate = (addresses: readonly string[]) => Promise<LocatedAddresses>;

/** A page about sign-ins waits no longer for the places. */
const timeoutMs = 1000;
const longestAddress = 64;
const nowhere: AddressPlace = Object.freeze({});

const without = (state: PlacesState): LocatedAddresses => ({ state, placeOf: () => nowhere });

const isLocatable = (address: string): boolean => address !== "" && address.length <= longestAddress;

type AskEngine = (request: Request<typeof locateAddresses>) => Promise<Reply<typeof locateAddresses>>;

/** Asks an engine where addresses are: the first 256 different ones. */
export function createLocate(askEngine: AskEngine): Locate {
  return async (all) => {
    const addresses = [...new Set(all)].filter(isLocatable).slice(0, maxLocated);
    if (addresses.length === 0) return { state: "known", placeOf: () => nowhere };
    try {
      const { isConfigured, places } = await askEngine({ addresses });
      if (!isConfigured) return without("off");
      const found = new Map(addresses.map((address, index) => [address, places[index] ?? nowhere]));
      return { state: "known", placeOf: (address) => found.get(address) ?? nowhere };
    } catch {
      return without("unavailable");
    }
  };
}

export function locateOnBus(bus: Pick<Bus, "request">): Locate {
  return createLocate((request) => bus.request(locateAddresses, request, { deadline: steadyClock.now() + timeoutMs }));
}

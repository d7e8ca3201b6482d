import { type AddressPlace, locateAddresses, maxLocated, type Reply, type Request } from "../../contracts/index.ts";
import type { Bus } from "../../platform/bus/index.ts";
import { steadyClock } from "../../platform/time/clock.ts";

/** A page about sign-ins waits no longer for the places. */
const timeoutMs = 1000;
const longestAddress = 64;
const nowhere: AddressPlace = Object.freeze({});

/** `off`: no files are configured. `unavailable`: no engine answered, or only those of an earlier version are running. */
const located = (state: "known" | "off" | "unavailable", places: ReadonlyMap<string, AddressPlace> = new Map()) => ({
  state,
  /** Empty for an address of which nothing is known. */
  placeOf: (address: string): AddressPlace => places.get(address) ?? nowhere,
});

const isLocatable = (address: string): boolean => address !== "" && address.length <= longestAddress;

type AskEngine = (request: Request<typeof locateAddresses>) => Promise<Reply<typeof locateAddresses>>;

/** Asks an engine where addresses are: the first 256 different ones. Never rejects. */
export function createLocate(askEngine: AskEngine) {
  return async (all: readonly string[]) => {
    const addresses = [...new Set(all)].filter(isLocatable).slice(0, maxLocated);
    if (addresses.length === 0) return located("known");
    try {
      const { isConfigured, places } = await askEngine({ addresses });
      if (!isConfigured) return located("off");
      return located("known", new Map(addresses.map((address, index) => [address, places[index] ?? nowhere])));
    } catch {
      return located("unavailable");
    }
  };
}

export type Locate = ReturnType<typeof createLocate>;

export function locateOnBus(bus: Pick<Bus, "request">): Locate {
  return createLocate((request) => bus.request(locateAddresses, request, { deadline: steadyClock.now() + timeoutMs }));
}

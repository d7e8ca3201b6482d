import type { AddressPlace, locateAddresses, Reply, Request } from "@postern/shared/contracts";
import type { Places } from "./places.ts";

type Located = Reply<typeof locateAddresses>;

function placeIn({ of, ownerOf }: Pick<Places, "of" | "ownerOf">, address: string): AddressPlace {
  const { country, system } = of(address);
  const owner = system === 0 ? "" : ownerOf(address);
  return {
    ...(/^[A-Z]{2}$/u.test(country) && { country }),
    ...(system > 0 && { system }),
    ...(owner !== "" && { owner }),
  };
}

/** Where addresses are, for pages about sign-ins. @param places undefined without brute-force protection, which reads the files. */
export function createLocateAddresses(places: Places | undefined) {
  return async ({ addresses }: Request<typeof locateAddresses>): Promise<Located> =>
    places?.isConfigured === true
      ? { isConfigured: true, places: addresses.map((address) => placeIn(places, address)) }
      : { isConfigured: false, places: [] };
}

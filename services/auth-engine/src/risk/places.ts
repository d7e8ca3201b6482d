import type { AddressPlace, locateAddresses, Reply, Request } from "@postern/shared/contracts";
import { type Location, type Place, unknownPlace } from "@postern/shared/domain/risk";
import { remembering } from "@postern/shared/platform/cache";
import { printable } from "@postern/shared/platform/logging";
import { type AsnResponse, type CityResponse, Reader, type Response } from "mmdb-lib";
import { createReplacedFile } from "./replaced-file.ts";

export interface PlacesDeps {
  /** Empty for none. */
  readonly cityFile: string;
  readonly systemFile: string;
  readonly onRead: (file: string, builtAt: Date) => void;
  readonly onProblem: (file: string, error: unknown) => void;
}

const maxAddresses = 16_384;
/** The whole file is in memory; the largest of MaxMind's have a few hundred megabytes. */
const maxBytes = 1_000_000_000;

interface PlaceFile<Facts> {
  readonly get: (address: string) => Facts | undefined;
  readonly refresh: () => Promise<boolean>;
}

/** One file in MaxMind's format. */
function createFile<Facts extends Response>(file: string, { onRead, onProblem }: PlacesDeps): PlaceFile<Facts> {
  const replaced = createReplacedFile(file, maxBytes, async (content) => new Reader<Facts>(content), {
    read: ({ metadata }) => onRead(file, metadata.buildEpoch),
    problem: (error) => onProblem(file, error),
  });
  return {
    get: (address) => {
      try {
        return replaced.current()?.get(address) ?? undefined;
      } catch {
        // A damaged record.
        return undefined;
      }
    },
    refresh: replaced.refresh,
  };
}

function locationOf(city: CityResponse | undefined): Location | undefined {
  const { latitude, longitude } = city?.location ?? {};
  if (latitude === undefined || longitude === undefined) return undefined;
  if (!Number.isFinite(latitude) || !Number.isFinite(longitude)) return undefined;
  return { latitude: Math.round(latitude), longitude: Math.round(longitude) };
}

/** A file may contain anything, even values that the types exclude. */
function countryOf(city: CityResponse | undefined): string {
  const code: unknown = city?.country?.iso_code;
  return typeof code === "string" ? code.slice(0, 2) : "";
}

const longestOwner = 64;

/** As the file writes it, without what a page or a log could not show. */
function ownerOf(system: AsnResponse | undefined): string {
  const name: unknown = system?.autonomous_system_organization;
  return typeof name === "string" ? printable(name.trim(), longestOwner).slice(0, longestOwner) : "";
}

/** Places of addresses, from files in MaxMind's format. */
export function createPlaces(deps: PlacesDeps) {
  const cities = createFile<CityResponse>(deps.cityFile, deps);
  const systems = createFile<AsnResponse>(deps.systemFile, deps);
  const find = (address: string): Place => {
    const city = cities.get(address);
    const system = systems.get(address)?.autonomous_system_number;
    if (city === undefined && system === undefined) return unknownPlace;
    return {
      country: countryOf(city),
      system: typeof system === "number" && Number.isSafeInteger(system) ? system : 0,
      location: locationOf(city),
    };
  };
  let placeOf = remembering(maxAddresses, find);
  return {
    of: (address: string): Place => placeOf(address),
    /** Name of the organisation that owns the network. Empty if unknown. Not for decisions: it is read from the file each time. */
    ownerOf: (address: string): string => ownerOf(systems.get(address)),
    /** Whether there is a file that places could be read from. */
    isConfigured: deps.cityFile !== "" || deps.systemFile !== "",
    /** Reads the files again if they were replaced. Never rejects: an absent file means unknown places. */
    refresh: async (): Promise<void> => {
      const changed = await Promise.all([cities.refresh(), systems.refresh()]);
      if (changed.includes(true)) placeOf = remembering(maxAddresses, find);
    },
  };
}

export type Places = ReturnType<typeof createPlaces>;

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

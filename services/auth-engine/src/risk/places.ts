import { open, stat } from "node:fs/promises";
import { type Location, type Place, unknownPlace } from "@postern/shared/domain/risk";
import { createHotCache } from "@postern/shared/platform/cache";
import { type AsnResponse, type CityResponse, Reader, type Response } from "mmdb-lib";

/** Places of addresses, from files in MaxMind's format. */
export interface Places {
  readonly of: (address: string) => Place;
  /** Reads the files again if they were replaced. Never rejects: an absent file means unknown places. */
  readonly refresh: () => Promise<void>;
}

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

function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ENOENT";
}

async function readWhole(file: string): Promise<Buffer> {
  await using handle = await open(file);
  const { size } = await handle.stat();
  if (size > maxBytes) throw new RangeError(`larger than ${maxBytes} bytes`);
  return await handle.readFile();
}

interface PlaceFile<Facts> {
  get(address: string): Facts | undefined;
  /** Whether another file is in use now. */
  refresh(): Promise<boolean>;
}

/** One file. A broken replacement leaves the one before in use. */
function createFile<Facts extends Response>(file: string, { onRead, onProblem }: PlacesDeps): PlaceFile<Facts> {
  let reader: Reader<Facts> | undefined;
  let version = "";
  const load = async (): Promise<boolean> => {
    const { mtimeMs, size, ino } = await stat(file);
    const found = `${ino} ${size} ${mtimeMs}`;
    if (found === version) return false;
    version = found;
    const next = new Reader<Facts>(await readWhole(file));
    reader = next;
    onRead(file, next.metadata.buildEpoch);
    return true;
  };
  return {
    get: (address) => {
      try {
        return reader?.get(address) ?? undefined;
      } catch {
        // A damaged record.
        return undefined;
      }
    },
    refresh: async () => {
      if (file === "") return false;
      try {
        return await load();
      } catch (error) {
        // A file that the operator removes is not used any longer.
        const wasRead = reader !== undefined;
        if (isMissing(error)) {
          reader = undefined;
          version = "";
          return wasRead;
        }
        onProblem(file, error);
        return false;
      }
    },
  };
}

function locationOf(city: CityResponse | undefined): Location | undefined {
  const { latitude, longitude } = city?.location ?? {};
  if (latitude === undefined || longitude === undefined) return undefined;
  if (!Number.isFinite(latitude) || !Number.isFinite(longitude)) return undefined;
  return { latitude: Math.round(latitude), longitude: Math.round(longitude) };
}

/** A file may contain anything, whatever the types say. */
function countryOf(city: CityResponse | undefined): string {
  const code: unknown = city?.country?.iso_code;
  return typeof code === "string" ? code.slice(0, 2) : "";
}

export function createPlaces(deps: PlacesDeps): Places {
  const cities = createFile<CityResponse>(deps.cityFile, deps);
  const systems = createFile<AsnResponse>(deps.systemFile, deps);
  let known = createHotCache<Place>(maxAddresses);
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
  return {
    of: (address) => {
      const found = known.get(address);
      if (found !== undefined) return found;
      const place = find(address);
      known.set(address, place);
      return place;
    },
    refresh: async () => {
      const changed = await Promise.all([cities.refresh(), systems.refresh()]);
      if (changed.includes(true)) known = createHotCache(maxAddresses);
    },
  };
}

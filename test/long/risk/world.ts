import type { Place } from "@postern/shared/domain/risk";
import { type Country, countries } from "./countries.ts";
import { createRandom, type Random } from "./random.ts";

/** What Postern sees of a network: a digest, and the place that the operator's files tell. */
export interface Network {
  readonly id: string;
  readonly place: Place;
}

/** An autonomous system. */
export interface System {
  readonly number: number;
  readonly country: Country;
  readonly kind: "residential" | "mobile" | "hosting" | "satellite";
  /** Share of the customers of its country. */
  readonly weight: number;
  /** Homes get another IPv4 address every day. */
  readonly changesDaily: boolean;
}

export interface World {
  readonly countries: readonly Country[];
  readonly residential: (country: Country) => readonly System[];
  readonly mobile: (country: Country) => readonly System[];
  readonly hosting: (country: Country) => readonly System[];
  readonly satellite: System;
  /** Equal arguments give equal networks. Networks of mobile systems are near one of their gateways. */
  readonly network: (system: System, city: number, index: number) => Network;
  /** A network that nothing else uses, such as the IPv6 /48 of a home. */
  readonly ownNetwork: (system: System, city: number) => Network;
  readonly botnetCountry: (random: Random) => Country;
}

export interface WorldOptions {
  readonly seed: number;
  /** Share of networks for which the operator's files name another country. */
  readonly wrongCountry: number;
  /** Share of networks for which the files name another city. */
  readonly wrongCity: number;
}

const residentialShares = [42, 24, 14, 8, 5, 3, 2, 2] as const;
const mobileShares = [40, 35, 25] as const;
const digits = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_";
const digestLength = 8;

function systemsOf(country: Country, at: number, random: Random) {
  let number = 1000 + at * 97;
  const make = (kind: System["kind"], weight: number): System => {
    number += 1;
    return { number, country, kind, weight, changesDaily: kind === "residential" && random.chance(0.25) };
  };
  return {
    residential: residentialShares.map((weight) => make("residential", weight)),
    mobile: mobileShares.map((weight) => make("mobile", weight)),
    hosting: [make("hosting", 1), make("hosting", 1), make("hosting", 1)],
  };
}

function placeOf(system: System, city: number, { random, options }: { random: Random; options: WorldOptions }): Place {
  const country = random.chance(options.wrongCountry) ? random.pick(countries) : system.country;
  const isElsewhere = country !== system.country || random.chance(options.wrongCity);
  const location = isElsewhere ? random.pick(country.cities) : country.cities[city % country.cities.length];
  return { country: country.code, system: system.number, location };
}

export function createWorld(options: WorldOptions): World {
  const random = createRandom(options.seed);
  const systems = new Map(countries.map((country, at) => [country.code, systemsOf(country, at, random)]));
  const of = ({ code }: Country) => {
    const found = systems.get(code);
    if (found === undefined) throw new RangeError(`no systems in ${code}`);
    return found;
  };
  const ownNetwork = (system: System, city: number): Network => ({
    id: Array.from({ length: digestLength }, () => digits[random.below(digits.length)]).join(""),
    place: placeOf(system, city, { random, options }),
  });
  const known = new Map<number, Network>();
  const carrier = countries.find(({ code }) => code === "US") ?? random.pick(countries);
  const networksPerCity = 1000;
  return {
    countries,
    residential: (country) => of(country).residential,
    mobile: (country) => of(country).mobile,
    hosting: (country) => of(country).hosting,
    satellite: { number: 999, country: carrier, kind: "satellite", weight: 1, changesDaily: false },
    network: (system, city, index) => {
      const key = (system.number * 10 + city) * networksPerCity + (index % networksPerCity);
      const found = known.get(key) ?? ownNetwork(system, city);
      known.set(key, found);
      return found;
    },
    ownNetwork,
    botnetCountry: (own) => own.pickWeighted(countries.map((country) => ({ country, weight: country.bots }))).country,
  };
}

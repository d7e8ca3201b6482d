import type { Country } from "./countries.ts";
import type { Parameters } from "./parameters.ts";
import type { Random } from "./random.ts";
import type { Network, System, World } from "./world.ts";

/** Families of mail programs and browsers, as far as they name themselves. */
export const programs = {
  phone: ["apple-mail", "gmail", "outlook", "k-9", "fairemail", "samsung"],
  desktop: ["thunderbird", "outlook", "apple-mail", "mailbird", "evolution", ""],
  browser: ["mozilla"],
} as const;

/** A place where someone connects, and the mobile system in which the phone is there. */
export interface Site {
  readonly country: Country;
  readonly city: number;
  readonly system: System;
  /** IPv4 networks; daily changes take another of them. */
  readonly networks: readonly Network[];
  readonly ipv6: Network | undefined;
}

export interface Vpn {
  readonly isWandering: boolean;
  readonly system: System;
  readonly networks: readonly Network[];
  /** The share of days on which it is used. */
  readonly use: number;
}

export interface Trip {
  readonly fromHour: number;
  readonly toHour: number;
  /** The user does not sign in while travelling there and back. */
  readonly transitHours: number;
  readonly site: Site;
  readonly isAbroad: boolean;
  /** The phone keeps the addresses of its own country. */
  readonly keepsCarrier: boolean;
  readonly hasInFlightInternet: boolean;
}

export interface Account {
  readonly id: string;
  readonly beginHour: number;
  readonly activity: number;
  home: Site;
  readonly office: Site | undefined;
  readonly hasPhone: boolean;
  readonly hasDesktop: boolean;
  readonly hasWebmail: boolean;
  phoneProgram: string;
  desktopProgram: string;
  /** Connections that the desktop client opens together. */
  readonly connections: number;
  carrier: System;
  readonly vpn: Vpn | undefined;
  /** Networks of a provider that collects the mail of the account by POP3. */
  readonly fetcher: readonly Network[] | undefined;
  readonly credential: "password" | "app_password";
  readonly hasSecondFactor: boolean;
  readonly isLeaked: boolean;
  /** Sometimes sends many mails in an hour. */
  readonly sendsMany: boolean;
  trip: Trip | undefined;
  /** Set when the account is attacked. */
  attackedHour: number | undefined;
}

const poolSize = 30;
const networksOfCity = 400;

/** A home, hotel or café: one network, or a pool if its system changes addresses daily. */
export function makeSite(
  world: World,
  random: Random,
  at: { readonly country: Country; readonly city?: number },
): Site {
  const { country, city = random.below(country.cities.length) } = at;
  const system = random.pickWeighted(world.residential(country));
  const first = random.below(networksOfCity);
  const networks = Array.from({ length: system.changesDaily ? poolSize : 1 }, (_, index) =>
    world.network(system, city, (first + index) % networksOfCity),
  );
  return { country, city, system, networks, ipv6: random.chance(0.35) ? world.ownNetwork(system, city) : undefined };
}

function makeVpn(world: World, random: Random, { wanders, home }: { wanders: number; home: Site }): Vpn {
  const isWandering = random.chance(wanders);
  const country = random.chance(0.5) ? home.country : random.pick(world.countries);
  const system = random.pick(world.hosting(country));
  const networks = Array.from({ length: 6 }, (_, index) => world.network(system, 0, index));
  return { isWandering, system, networks, use: random.chance(0.4) ? 0.9 : 0.25 };
}

/** Large providers fetch from many networks in few places. */
function fetcherNetworks(world: World, random: Random): readonly Network[] {
  const country = random.pick(world.countries.filter(({ code }) => code === "US" || code === "NL"));
  const [system] = world.hosting(country);
  if (system === undefined) return [];
  return Array.from({ length: 40 }, (_, index) => world.network(system, index % 3, 500 + index));
}

export interface Makers {
  readonly world: World;
  readonly random: Random;
  readonly parameters: Parameters;
  readonly offices: readonly Site[];
  readonly hours: number;
}

export function makeAccount(id: string, { world, random, parameters, offices, hours }: Makers): Account {
  const country = random.pickWeighted(world.countries.map((one) => ({ one, weight: one.users }))).one;
  const home = makeSite(world, random, { country });
  const near = offices.filter(({ country: { code } }) => code === country.code);
  const has = (share: number): boolean => random.chance(share);
  const hasSecondFactor = has(parameters.secondFactor);
  const [hasPhone, hasDesktop] = [has(parameters.phone), has(parameters.desktop)];
  return {
    id,
    beginHour: has(parameters.young) ? random.below(hours) : 0,
    activity: has(parameters.idle) ? 0.03 : 0.4 + random.next() * 1.2,
    home,
    office: has(parameters.office) && near.length > 0 ? random.pick(near) : undefined,
    hasPhone,
    hasDesktop,
    hasWebmail: has(parameters.webmail) || !(hasPhone || hasDesktop),
    phoneProgram: random.pick(programs.phone),
    desktopProgram: random.pick(programs.desktop),
    connections: random.between(1, 6),
    carrier: random.pickWeighted(world.mobile(country)),
    vpn: has(parameters.vpn) ? makeVpn(world, random, { wanders: parameters.vpnWanders, home }) : undefined,
    fetcher: has(parameters.fetcher) ? fetcherNetworks(world, random) : undefined,
    credential: hasSecondFactor && has(0.8) ? "app_password" : "password",
    hasSecondFactor,
    isLeaked: has(parameters.leaked),
    sendsMany: has(parameters.senders),
    trip: undefined,
    attackedHour: undefined,
  };
}

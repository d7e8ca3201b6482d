import { type Account, makeSite, type Site, type Trip } from "./account.ts";
import type { Random } from "./random.ts";
import type { Network, World } from "./world.ts";

/** Where an honest sign-in comes from, for the report. */
export const situations = ["home", "office", "mobile", "vpn", "fetcher", "journey", "in flight"] as const;
export type Situation = (typeof situations)[number];

export type Where = readonly [network: Network, situation: Situation];

interface Deps {
  readonly world: World;
  readonly random: Random;
}

const mobileNetworks = 160;
const carrierGateways = 3;
const dayHours = 24;
const workdays = 5;
const [workBegins, workEnds] = [8, 17];

const dayOf = (hour: number): number => Math.floor(hour / dayHours);
export const localHour = ({ home }: Account, hour: number): number => (hour + home.country.zone + dayHours) % dayHours;

function siteNetwork(site: Site, day: number, random: Random): Network {
  if (site.ipv6 !== undefined && random.chance(0.6)) return site.ipv6;
  return site.networks[day % site.networks.length] ?? random.pick(site.networks);
}

/** A carrier moves its users between its networks, and sometimes between the places of its gateways. */
export function mobileNetwork({ world, random }: Deps, account: Account): Network {
  const { trip, carrier } = account;
  const isLocal = trip !== undefined && trip.isAbroad && !trip.keepsCarrier;
  const [system = carrier] = isLocal ? world.mobile(trip.site.country) : [carrier];
  const gateway = random.chance(0.8) ? account.home.city % carrierGateways : random.below(carrierGateways);
  return world.network(system, gateway, 600 + random.below(mobileNetworks));
}

/** Undefined while out of reach. */
function onJourney({ world, random }: Deps, trip: Trip, hour: number): Where | undefined {
  const { fromHour, toHour, transitHours, site } = trip;
  if (hour < fromHour + transitHours || hour >= toHour - transitHours) {
    if (!trip.hasInFlightInternet) return undefined;
    return [world.network(world.satellite, random.below(5), 700 + random.below(8)), "in flight"];
  }
  // Cafés, trains and meetings.
  const current = random.chance(0.15) ? makeSite(world, random, { country: site.country, city: site.city }) : site;
  return [siteNetwork(current, dayOf(hour), random), "journey"];
}

function isAtOffice(account: Account, hour: number): boolean {
  const day = dayOf(hour);
  const local = localHour(account, hour);
  if (day % 7 >= workdays || local < workBegins || local >= workEnds) return false;
  // Everybody works at home on some days.
  return (day * 7 + account.connections * 3) % 10 >= 3;
}

/** The place of the user: home, the office or one of a journey; undefined while the user is out of reach. */
export function whereIs(deps: Deps, account: Account, hour: number): Where | undefined {
  const { trip, home, office } = account;
  if (trip !== undefined && hour >= trip.fromHour && hour < trip.toHour) return onJourney(deps, trip, hour);
  if (office !== undefined && isAtOffice(account, hour)) return [siteNetwork(office, 0, deps.random), "office"];
  return [siteNetwork(home, dayOf(hour), deps.random), "home"];
}

/** The exit of the VPN, if the user has one and uses it that day. */
export function vpnExit({ world, random }: Deps, { vpn, id }: Account, hour: number): Network | undefined {
  const day = dayOf(hour);
  if (vpn === undefined || ((day * 31 + id.charCodeAt(0)) % 100) / 100 >= vpn.use) return undefined;
  if (!vpn.isWandering) return random.pick(vpn.networks);
  const country = world.countries[(day * 5 + id.charCodeAt(1)) % world.countries.length];
  const [system = vpn.system] = country === undefined ? [] : world.hosting(country);
  return world.network(system, 0, 10 + (day % 6));
}

import { type Account, makeSite, programs, type Site, type Trip } from "./account.ts";
import type { Country } from "./countries.ts";
import type { Parameters } from "./parameters.ts";
import type { Random } from "./random.ts";
import type { World } from "./world.ts";

interface Deps {
  readonly world: World;
  readonly random: Random;
  readonly parameters: Parameters;
}

const kilometresPerDegree = 100;
const flightKmPerHour = 800;

function transitHours(from: Site, to: Site): number {
  const [start, end] = [from.country.cities[from.city], to.country.cities[to.city % to.country.cities.length]];
  if (start === undefined || end === undefined) return 2;
  const degrees = Math.hypot(
    start.latitude - end.latitude,
    (start.longitude - end.longitude) * Math.cos((start.latitude * Math.PI) / 180),
  );
  return 2 + Math.ceil((degrees * kilometresPerDegree) / flightKmPerHour);
}

/** Most journeys lead to a country of the same area. */
function destination({ world, random }: Deps, home: Country, abroad: number): Country {
  if (!random.chance(abroad)) return home;
  const near = world.countries.filter(({ area, code }) => area === home.area && code !== home.code);
  return random.chance(0.75) && near.length > 0 ? random.pick(near) : random.pick(world.countries);
}

function makeTrip(deps: Deps, account: Account, plan: { hour: number; days: number; abroad: number }): Trip {
  const { world, random } = deps;
  const { home } = account;
  const country = destination(deps, home.country, plan.abroad);
  const site = makeSite(world, random, { country });
  const fromHour = plan.hour + random.between(6, 18);
  const isAbroad = country.code !== home.country.code;
  const isNear = country.area === home.country.area;
  return {
    fromHour,
    toHour: fromHour + plan.days * 24,
    transitHours: Math.min(transitHours(home, site), plan.days * 8),
    site,
    isAbroad,
    keepsCarrier: random.chance(isNear ? 0.85 : 0.3),
    hasInFlightInternet: isAbroad && random.chance(0.1),
  };
}

/** What changes in the life of a user on a day: journeys, another provider, another country, another program. */
export function beginDay(deps: Deps, account: Account, hour: number): void {
  const { world, random, parameters } = deps;
  if (account.trip !== undefined && hour > account.trip.toHour) account.trip = undefined;
  if (random.chance(parameters.newProvider)) {
    account.home = makeSite(world, random, { country: account.home.country, city: account.home.city });
  }
  if (random.chance(parameters.newProgram)) account.phoneProgram = random.pick(programs.phone);
  if (random.chance(parameters.newProgram)) account.desktopProgram = random.pick(programs.desktop);
  if (account.trip !== undefined) return;
  const works = account.office !== undefined;
  if (random.chance(parameters.move)) {
    const country = random.pickWeighted(world.countries.map((one) => ({ one, weight: one.users }))).one;
    account.home = makeSite(world, random, { country });
    account.carrier = random.pickWeighted(world.mobile(country));
  } else if (works && random.chance(parameters.businessTrip)) {
    account.trip = makeTrip(deps, account, { hour, days: random.between(1, 4), abroad: 0.3 });
  } else if (random.chance(parameters.holiday)) {
    account.trip = makeTrip(deps, account, { hour, days: random.between(4, 14), abroad: 0.6 });
  }
}

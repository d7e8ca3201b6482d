import type { Account } from "./account.ts";
import type { Parameters } from "./parameters.ts";
import type { Random } from "./random.ts";
import type { Network, World } from "./world.ts";

export const attackKinds = [
  "spray",
  "distributed guessing",
  "phished, botnet",
  "phished, one network abroad",
  "phished, botnet in the country",
  "phished, one network in the country",
  "phished, botnet in the user's ISP",
  "phished list, one network",
  "slow drip, abroad",
] as const;
export type AttackKind = (typeof attackKinds)[number];

interface Try {
  readonly network: Network;
  readonly protocol: "imap" | "smtp";
  readonly client: string;
}

/** What an attacker does in a minute. */
export type Step =
  | { readonly minute: number; readonly does: "guess"; readonly account: string; readonly network: Network }
  | { readonly minute: number; readonly does: "use"; readonly attack: Attack; readonly together: readonly Try[] };

/** An attacker who has the password of an account, or finds it. */
export interface Attack {
  readonly kind: AttackKind;
  readonly account: Account;
}

interface Deps {
  readonly world: World;
  readonly random: Random;
  readonly parameters: Parameters;
  readonly accounts: readonly Account[];
}

/** A mail server sees some more than the ten that count. */
const submissions = 14;
/** Scripts name themselves as libraries do, or as a common program. */
const attackPrograms = ["python-imaplib", "go-imap", "thunderbird", "outlook"] as const;
const hourMinutes = 60;
const dayMinutes = 1440;

/** A machine of a botnet, mostly in a home. */
function bot({ world, random }: Deps, country = world.botnetCountry(random)): Network {
  const system = random.pickWeighted(random.chance(0.85) ? world.residential(country) : world.mobile(country));
  return world.network(system, random.below(country.cities.length), random.below(400));
}

function rentedServer({ world, random }: Deps): Network {
  const system = random.pick(world.hosting(random.pick(world.countries)));
  return world.network(system, 0, 900 + random.below(50));
}

function many({ random, parameters: { botnet } }: Deps, make: () => Network): readonly Network[] {
  return Array.from({ length: random.between(...botnet) }, make);
}

function networksOf(deps: Deps, { kind, account: { home } }: Attack): readonly Network[] {
  const { world, random } = deps;
  switch (kind) {
    case "spray":
    case "distributed guessing":
    case "phished, botnet":
      return many(deps, () => bot(deps));
    case "phished, one network abroad":
      return [random.chance(0.5) ? bot(deps) : rentedServer(deps)];
    case "phished, botnet in the country":
      return many(deps, () => bot(deps, home.country));
    case "phished, one network in the country":
    case "phished list, one network":
      return [bot(deps, home.country)];
    case "phished, botnet in the user's ISP":
      return many(deps, () => world.network(home.system, random.below(home.country.cities.length), random.below(400)));
    case "slow drip, abroad":
      return Array.from({ length: 5 }, () => bot(deps));
  }
}

/** Sends mail in bursts, one sign-in a message, from a machine each if there are many. */
function useSteps(deps: Deps, attack: Attack, origin: { minute: number; networks: readonly Network[] }): Step[] {
  const { random, parameters } = deps;
  const { networks } = origin;
  const steps: Step[] = [];
  const client = random.chance(parameters.namesProgram) ? random.pick(attackPrograms) : "";
  let { minute } = origin;
  if (random.chance(parameters.looksFirst)) {
    steps.push({
      minute,
      does: "use",
      attack,
      together: [{ network: random.pick(networks), protocol: "imap", client }],
    });
    minute += random.between(1, hourMinutes);
  }
  const isSlow = attack.kind === "slow drip, abroad";
  for (let sent = 0; sent < submissions; ) {
    const burst = isSlow ? 1 : Math.min(random.between(1, parameters.burst), submissions - sent);
    const together = Array.from({ length: burst }, () => ({
      network: random.pick(networks),
      protocol: "smtp" as const,
      client: "",
    }));
    steps.push({ minute, does: "use", attack, together });
    sent += burst;
    minute += isSlow ? random.between(dayMinutes / 2, 1.5 * dayMinutes) : random.between(1, parameters.pause);
  }
  return steps;
}

/** A machine tries few passwords for many accounts, and finds that of one. */
function spraySteps(deps: Deps, { minute, network }: { minute: number; network: Network }): Step[] {
  const { random, accounts } = deps;
  return Array.from({ length: random.between(5, 50) }, () => ({
    minute: minute - random.between(0, 90),
    does: "guess" as const,
    account: random.pick(accounts).id,
    network,
  }));
}

function guessSteps(deps: Deps, { account }: Attack, minute: number): Step[] {
  const { random } = deps;
  return Array.from({ length: random.between(15, 300) }, () => ({
    minute: minute - random.between(0, 3 * hourMinutes),
    does: "guess" as const,
    account: account.id,
    network: bot(deps),
  }));
}

/** One network that uses a list of stolen passwords: many accounts, in the country of the first, within two hours. */
function createCampaigns({ random, parameters }: Deps) {
  let current = { networks: new Array<Network>(), minute: 0, left: 0 };
  return {
    next: (own: { readonly networks: readonly Network[]; readonly minute: number }) => {
      if (current.left === 0)
        current = { networks: [...own.networks], minute: own.minute, left: random.between(...parameters.campaign) };
      current.left -= 1;
      return { networks: current.networks, minute: current.minute + random.below(2 * hourMinutes) };
    },
  };
}

export interface AttackPlan {
  readonly attacks: readonly Attack[];
  readonly steps: ReadonlyMap<number, readonly Step[]>;
}

export function planAttacks(deps: Deps, { fromHour, toHour }: { fromHour: number; toHour: number }): AttackPlan {
  const { random, parameters, accounts } = deps;
  const steps = new Map<number, Step[]>();
  const attacks: Attack[] = [];
  const campaigns = createCampaigns(deps);
  for (const account of accounts) {
    if (!random.chance(parameters.attacked)) continue;
    const attack: Attack = { kind: random.pick(attackKinds), account };
    // A slow one must be able to send what counts.
    const lastHour = attack.kind === "slow drip, abroad" ? fromHour + 72 : toHour - 12;
    let minute = random.between(fromHour, lastHour) * hourMinutes + random.below(hourMinutes);
    let networks = networksOf(deps, attack);
    if (attack.kind === "phished list, one network") ({ networks, minute } = campaigns.next({ networks, minute }));
    if (account.beginHour * hourMinutes > minute) continue;
    attacks.push(attack);
    account.attackedHour = Math.floor(minute / hourMinutes);
    const all: Step[] = [];
    if (attack.kind === "distributed guessing") all.push(...guessSteps(deps, attack, minute));
    if (attack.kind === "spray") {
      const network = random.pick(networks);
      all.push(...spraySteps(deps, { minute, network }));
      if (random.chance(0.5)) networks = [network];
    }
    all.push(...useSteps(deps, attack, { minute, networks }));
    for (const step of all) {
      const others = steps.get(step.minute);
      if (others === undefined) steps.set(step.minute, [step]);
      else others.push(step);
    }
  }
  return { attacks, steps };
}

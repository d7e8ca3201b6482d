import { type Account, programs } from "./account.ts";
import type { Parameters } from "./parameters.ts";
import type { Random } from "./random.ts";
import { localHour, mobileNetwork, type Situation, vpnExit, type Where, whereIs } from "./whereabouts.ts";
import type { Network, World } from "./world.ts";

/** Connections of one program at one moment. */
export interface Use {
  readonly network: Network;
  readonly situation: Situation;
  readonly protocol: "imap" | "smtp" | "pop3" | "http";
  readonly connections: number;
  /** Family of the program, if it names itself. Mail servers do not pass it on for SMTP and POP3. */
  readonly client: string;
  /** The first of them has a mistyped password. */
  readonly isMistyped: boolean;
}

interface Deps {
  readonly world: World;
  readonly random: Random;
  readonly parameters: Parameters;
}

const useAt = ([network, situation]: Where, protocol: Use["protocol"], connections = 1, client = ""): Use => ({
  network,
  situation,
  protocol,
  connections,
  client,
  isMistyped: false,
});

/** Mail programs sign in for each message. */
function submissions({ random, parameters }: Deps, { sendsMany }: Account, where: Where): readonly Use[] {
  const count = sendsMany && random.chance(0.15) ? random.between(4, parameters.mostSent) : random.between(1, 3);
  return Array.from({ length: count }, () => useAt(where, "smtp"));
}

/** Wi-Fi of the place, with or without the VPN, or the mobile network. */
function phoneUses(deps: Deps, account: Account, at: { place: Where; here: Where; hour: number }): readonly Use[] {
  const { random } = deps;
  const { place, here } = at;
  const local = localHour(account, at.hour);
  const isOnTheWay = local === 7 || local === 17;
  const isMobile = place[1] !== "in flight" && random.chance(isOnTheWay ? 0.8 : 0.3);
  const wireless = random.chance(0.5) ? here : place;
  const where: Where = isMobile ? [mobileNetwork(deps, account), "mobile"] : wireless;
  const reads = useAt(where, "imap", random.between(1, 3), account.phoneProgram);
  return random.chance(0.1) ? [reads, ...submissions(deps, account, where)] : [reads];
}

function desktopUses(deps: Deps, account: Account, here: Where): readonly Use[] {
  const reads = useAt(here, "imap", account.connections, account.desktopProgram);
  return deps.random.chance(0.4) ? [reads, ...submissions(deps, account, here)] : [reads];
}

/** What the user's own programs do in an hour. */
function ownUses(deps: Deps, account: Account, hour: number): readonly Use[] {
  const { random, parameters } = deps;
  const local = localHour(account, hour);
  const awake = local >= 6 && local < 23 ? 1 : 0.15;
  const isDue = (has: boolean, perHour: number): boolean => has && random.chance(perHour * awake * account.activity);
  const isPhoneDue = isDue(account.hasPhone, 0.6);
  const isDesktopDue = isDue(account.hasDesktop, 0.35);
  const isWebmailDue = isDue(account.hasWebmail, 0.12);
  if (!(isPhoneDue || isDesktopDue || isWebmailDue)) return [];
  const place = whereIs(deps, account, hour);
  if (place === undefined) return [];
  const exit = vpnExit(deps, account, hour);
  const here: Where = exit === undefined ? place : [exit, "vpn"];
  return [
    ...(isPhoneDue ? phoneUses(deps, account, { place, here, hour }) : []),
    ...(isDesktopDue ? desktopUses(deps, account, here) : []),
    ...(isWebmailDue
      ? [{ ...useAt(here, "http", 1, programs.browser[0]), isMistyped: random.chance(parameters.typo) }]
      : []),
  ];
}

/** Everything that the programs of an account do in an hour. */
export function usesOf(deps: Deps, account: Account, hour: number): readonly Use[] {
  const own = ownUses(deps, account, hour);
  if (account.fetcher === undefined || !deps.random.chance(0.8)) return own;
  return [...own, useAt([deps.random.pick(account.fetcher), "fetcher"], "pop3")];
}

import type { AuthDecision } from "@postern/shared/contracts";
import { unlessAborted } from "@postern/shared/platform/concurrency";
import { errorCodes } from "@postern/shared/platform/errors";
import { type CidrSet, canonicalIp, createCidrSet } from "@postern/shared/platform/net";
import ipaddr from "ipaddr.js";
import { denial } from "../../pipeline/step.ts";
import type { RblSettings } from "../control-settings.ts";
import type { Control } from "../controls.ts";
import type { AddressLookup, LookupAnswer } from "./address-lookup-dns.ts";

export interface ZoneQuestion {
  readonly family: "ipv4" | "ipv6";
  /** The reversed address without the zone: `9.113.0.203`, or 32 nibbles (RFC 5782 §2.1, §2.4). */
  readonly reversed: string;
}

/** Undefined for anything but an address. IPv4 inside IPv6 is looked up as IPv4. */
export function zoneQuestion(address: string): ZoneQuestion | undefined {
  const canonical = canonicalIp(address);
  if (canonical === undefined) return undefined;
  if (!canonical.includes(":")) return { family: "ipv4", reversed: canonical.split(".").toReversed().join(".") };
  const nibbles = ipaddr.IPv6.parse(canonical)
    .toByteArray()
    .flatMap((byte) => [byte >> 4, byte & 15]);
  return {
    family: "ipv6",
    reversed: nibbles
      .toReversed()
      .map((nibble) => nibble.toString(16))
      .join("."),
  };
}

/** One entry of `auth.controls.rbl.lists`. */
export type RblList = RblSettings["lists"][number];

export const rblOutcomes = ["listed", "not_listed", "failed"] as const;
export type RblOutcome = (typeof rblOutcomes)[number];

interface Said {
  readonly list: RblList;
  readonly outcome: RblOutcome;
  readonly reason?: string;
}

const listed = createCidrSet(["127.0.0.0/8"]);
/**
 * Operators return this for every name to resolvers that may not use the list; it says nothing about the client.
 */
const operatorErrors: CidrSet = createCidrSet(["127.255.255.0/24"]);

function judge(list: RblList, answer: LookupAnswer): Said {
  if (answer.kind === "failed") return { list, outcome: "failed", reason: answer.reason };
  if (answer.kind === "absent") return { list, outcome: "not_listed" };
  const { addresses } = answer;
  if (list.returnCodes.size > 0 && addresses.some((address) => list.returnCodes.has(address))) {
    return { list, outcome: "listed" };
  }
  if (addresses.some((address) => operatorErrors.has(address))) {
    return { list, outcome: "failed", reason: "refused by the list's operator" };
  }
  const isHit = list.returnCodes.size === 0 && addresses.some((address) => listed.has(address));
  return { list, outcome: isHit ? "listed" : "not_listed" };
}

function sum(said: readonly Said[], weigh: (weight: number) => number = (weight) => weight): number {
  return said.reduce((total, { list }) => total + weigh(list.weight), 0);
}

/** Combines the answers; a failed list counts only if its answer could have changed the decision. */
function decide(said: readonly Said[], threshold: number): { readonly score: number; readonly verdict: Verdict } {
  const score = sum(said.filter(({ outcome }) => outcome === "listed"));
  const missing = said.filter(({ outcome, list }) => outcome === "failed" && !list.allowFailure);
  const minScore = score + sum(missing, (weight) => Math.min(0, weight));
  const maxScore = score + sum(missing, (weight) => Math.max(0, weight));
  if (minScore >= threshold) return { score, verdict: "deny" };
  return { score, verdict: maxScore >= threshold ? "undecided" : "pass" };
}

type Verdict = "pass" | "deny" | "undecided";

const answers: Readonly<Record<Verdict, AuthDecision | undefined>> = {
  pass: undefined,
  deny: denial("rbl"),
  undecided: {
    outcome: "tempfail",
    code: "RBL_UNAVAILABLE",
    message: errorCodes.RBL_UNAVAILABLE.publicMessage,
  },
};

function asksAbout(list: RblList, { family }: ZoneQuestion): boolean {
  return family === "ipv4" ? list.ipv4 : list.ipv6;
}

/** Denies clients for which the weights of the block lists reach the threshold. All lists are queried in parallel. */
export function createRbl(
  settings: RblSettings,
  lookup: AddressLookup,
  observe: (outcome: RblOutcome) => void,
  onFailure: (list: string, reason: string) => void,
): Control {
  const { lists, threshold, allowlist } = settings;
  const exempt = createCidrSet(settings.ipAllowlist);
  const ask = async (list: RblList, { reversed }: ZoneQuestion): Promise<Said> => {
    const said = judge(list, await lookup.lookUp(`${reversed}.${list.zone}`));
    observe(said.outcome);
    if (said.reason !== undefined) onFailure(list.name, said.reason);
    return said;
  };
  return {
    name: "rbl",
    check: async ({ clientIp, username, masterLogin }, { signal, facts }) => {
      if (clientIp === undefined || exempt.has(clientIp)) return undefined;
      if (allowlist.has(masterLogin?.user ?? username, clientIp)) return undefined;
      const question = zoneQuestion(clientIp);
      if (question === undefined) return undefined;
      const applicableLists = lists.filter((list) => asksAbout(list, question));
      const said = await unlessAborted(Promise.all(applicableLists.map((list) => ask(list, question))), signal);
      const { score, verdict } = decide(said, threshold);
      facts.rblScore = score;
      facts.rblListed = said.filter(({ outcome }) => outcome === "listed").map(({ list }) => list.name);
      return answers[verdict];
    },
  };
}

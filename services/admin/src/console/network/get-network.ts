import { isIP } from "node:net";
import type { NetworkReport } from "@postern/shared/contracts";
import type { RuleState } from "@postern/shared/domain/brute-force";
import { parseCidr } from "@postern/shared/platform/net";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { AdminContext } from "../../context.ts";
import { auditedRequest } from "../../read-request.ts";
import { english } from "../../texts/texts.ts";
import { placeIn, requiredText, throwUnreadable } from "../query.ts";
import { uniqueBans, writtenBan } from "../written.ts";

type NetworkContext = Pick<AdminContext, "history" | "bruteForce" | "networkState" | "locate" | "live" | "auditReads">;

/** Each costs one key for each rule. */
const maxAddresses = 100;
const noGuesses = english["incomplete.guesses"];
const noHistory = english["incomplete.no_addresses"];

function writtenRule({
  rule,
  network,
  failures,
  limit,
  periodMs,
  protocols,
}: RuleState): NetworkReport["rules"][number] {
  return { rule, network, failures, limit, period_seconds: Math.ceil(periodMs / 1000), protocols: [...protocols] };
}

type Place = ReturnType<typeof placeIn>;

/** Those that are recorded, the latest first. */
async function addressesIn({ history }: NetworkContext, place: Place): Promise<readonly string[]> {
  if (place.kind === "address") return [place.address];
  const records = (await history?.ofNetwork(place.address)) ?? [];
  const addresses = records.map(({ clientIp }) => clientIp).filter((one) => isIP(one) > 0 && place.contains(one));
  return [...new Set(addresses)].slice(0, maxAddresses);
}

/** A rule that counts a part of the network says nothing about the whole. */
function ofWhole(rules: readonly RuleState[], place: Place, written: string): readonly RuleState[] {
  const { prefix = 128 } = parseCidr(written) ?? {};
  return place.kind === "address" ? rules : rules.filter((one) => one.prefix <= prefix);
}

function createReport(deps: NetworkContext) {
  const { bruteForce, networkState, locate, live, history } = deps;
  return async (written: string): Promise<NetworkReport> => {
    const place = placeIn(written);
    const addresses = await addressesIn(deps, place);
    const all = [...new Set([place.address, ...addresses])];
    const [rules, bans, guesses, { placeOf }] = await Promise.all([
      networkState.rulesOf(place.address),
      Promise.all(all.map((address) => bruteForce.bansOfAddress(address))),
      // A Redis user of an earlier version may not count them.
      networkState.guessesOf(all).catch(() => undefined),
      locate([place.address]),
    ]);
    const known = placeOf(place.address);
    return {
      network: place.kind === "address" ? place.address : written.trim(),
      ...(Object.keys(known).length > 0 && { place: known }),
      rules: ofWhole(rules, place, written.trim()).map(writtenRule),
      bans: uniqueBans(bans.flat()).map((ban) => writtenBan(ban, live.current.flush.rules)),
      ...(guesses !== undefined && { distinct_passwords: guesses }),
      incomplete: [
        ...(history === undefined && place.kind === "network" ? [noHistory] : []),
        ...(guesses === undefined ? [noGuesses] : []),
      ],
    };
  };
}

/** `GET /api/v1/console/network` */
export function getNetwork(deps: NetworkContext) {
  const report = createReport(deps);
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const network = requiredText(request.query, "network");
    const answer = await report(network).catch(throwUnreadable);
    deps.auditReads({ event: "network.read", ...auditedRequest(request), target: network });
    return reply.header("cache-control", "no-store").send(answer);
  };
}

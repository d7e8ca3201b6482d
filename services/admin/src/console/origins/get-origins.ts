import type { SignInOrigins } from "@postern/shared/contracts";
import {
  isOriginRange,
  keepLargest,
  maxOrigins,
  type OriginKind,
  otherOrigins,
  type Tallies,
  unknownOrigin,
} from "@postern/shared/domain/origins";
import type { Locate } from "@postern/shared/domain/places";
import { systemClock as clock } from "@postern/shared/platform/time";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { AdminContext } from "../../context.ts";
import { malformed } from "../../read-request.ts";
import { textOf, throwUnreadable } from "../query.ts";

interface Outcomes {
  readonly ok: number;
  readonly refused: number;
}

const none: Outcomes = { ok: 0, refused: 0 };

function takenFrom(tallies: Tallies, origin: string): Outcomes {
  const { ok, refused } = tallies.get(origin) ?? none;
  tallies.delete(origin);
  return { ok, refused };
}

/** What is known by name, the most refusals first, apart from the rest. */
function sorted(tallies: Tallies, kind: OriginKind) {
  keepLargest(tallies, maxOrigins[kind]);
  const [unknown, others] = [takenFrom(tallies, unknownOrigin), takenFrom(tallies, otherOrigins)];
  const list = [...tallies].toSorted(([, one], [, other]) => other.refused - one.refused || other.ok - one.ok);
  return { unknown, others, list };
}

const sumOf = (all: readonly Outcomes[]): Outcomes =>
  all.reduce((sum, { ok, refused }) => ({ ok: sum.ok + ok, refused: sum.refused + refused }), none);

/** Any address will do: the answer says whether the engines have files. */
const anyAddress = "192.0.2.1";

/** Whoever counted knew places; without counts, an engine knows whether it would. */
async function stateOf(all: Outcomes, locate: Locate): Promise<SignInOrigins["places"]> {
  return all.ok + all.refused > 0 ? "known" : (await locate([anyAddress])).state;
}

/** `GET /api/v1/console/origins` */
export async function getOrigins({ query }: FastifyRequest, reply: FastifyReply, context: AdminContext) {
  const { readOrigins, locate } = context;
  const range = textOf(query, "range") ?? "1h";
  if (!isOriginRange(range)) throw malformed("range: must be 1h, 24h or 7d");
  const found = await readOrigins(range, clock.now()).catch(throwUnreadable);
  const [countries, systems] = [sorted(found.countries, "countries"), sorted(found.systems, "systems")];
  const all = sumOf([countries.unknown, countries.others, ...countries.list.map(([, tally]) => tally)]);
  const answer: SignInOrigins = {
    range,
    since: new Date(found.sinceMs).toISOString(),
    places: await stateOf(all, locate),
    all,
    countries: countries.list.map(([country, { ok, refused }]) => ({ country, ok, refused })),
    unknown_country: sumOf([countries.unknown, countries.others]),
    systems: systems.list.map(([system, { ok, refused, name }]) => ({
      system: Number(system),
      ...(name !== "" && { owner: name }),
      ok,
      refused,
    })),
    other_systems: systems.others,
    unknown_system: systems.unknown,
  };
  return reply.header("cache-control", "no-store").send(answer);
}

import type { Base } from "@postern/shared/assembly";
import { type Clock, steadyClock } from "@postern/shared/platform/time";
import type { Foundation } from "../foundation.ts";
import type { ControlSettings, RblControlSettings } from "./control-settings.ts";
import { type Control, type Controls, createControls, createRelayDomains, createTlsRequired } from "./controls.ts";
import { createCachingLookup, createDnsLookup } from "./rbl/address-lookup-dns.ts";
import { createRbl } from "./rbl/rbl.ts";

export type FailureNote = Readonly<{ list: string; reason: string; failures: number }>;

/**
 * Limits reports: an unavailable list fails for every sign-in, so the first failure is reported immediately and all
 * failures of an interval together.
 * @param everyMs shortest interval between two reports about one list.
 */
export function createFailureNotes(clock: Clock, everyMs: number, note: (note: FailureNote) => void) {
  const lists = new Map<string, { notedAtMs: number; failures: number }>();
  return (list: string, reason: string): void => {
    const state = lists.get(list) ?? { notedAtMs: Number.NEGATIVE_INFINITY, failures: 0 };
    lists.set(list, state);
    state.failures += 1;
    if (clock.now() - state.notedAtMs < everyMs) return;
    note({ list, reason, failures: state.failures });
    state.notedAtMs = clock.now();
    state.failures = 0;
  };
}

type Parts = Pick<Foundation, "metrics"> & Pick<Base, "logger">;

const noteFailuresEveryMs = 60_000;

function makeRbl({ rbl, dns, cache }: RblControlSettings, { logger, metrics }: Parts): Control {
  return createRbl(
    rbl,
    createCachingLookup(createDnsLookup(dns), steadyClock, cache),
    metrics.rblQueried,
    createFailureNotes(steadyClock, noteFailuresEveryMs, (note) =>
      logger.warn(note, "a block list could not be queried"),
    ),
  );
}

/** The enabled controls, cheapest first; undefined if there is none. */
export function makeControls(settings: ControlSettings, parts: Parts): Controls | undefined {
  const { cleartextNetworks, relayDomains, rbl } = settings;
  const controls = [
    ...(cleartextNetworks === undefined ? [] : [createTlsRequired(cleartextNetworks)]),
    ...(relayDomains === undefined ? [] : [createRelayDomains(relayDomains)]),
    ...(rbl === undefined ? [] : [makeRbl(rbl, parts)]),
  ];
  return controls.length === 0 ? undefined : createControls(controls, parts.metrics.controlled);
}

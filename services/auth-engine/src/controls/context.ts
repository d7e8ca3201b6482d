import type { Logger } from "@postern/shared/platform/logging";
import { steadyClock } from "@postern/shared/platform/time";
import type { EngineMetrics } from "../metrics.ts";
import type { ControlSettings, RblControlSettings } from "./control-settings.ts";
import { type Control, type Controls, createControls } from "./controls.ts";
import { createCachingLookup, createDnsLookup } from "./rbl/address-lookup-dns.ts";
import { createFailureNotes } from "./rbl/failure-notes.ts";
import { createRbl } from "./rbl/rbl.ts";
import { createRelayDomains } from "./relay-domains.ts";
import { createTlsRequired } from "./tls-required.ts";

interface Parts {
  readonly logger: Logger;
  readonly metrics: EngineMetrics;
}

const noteFailuresEveryMs = 60_000;

function makeRbl({ rbl, dns, cache }: RblControlSettings, { logger, metrics }: Parts): Control {
  return createRbl(
    rbl,
    createCachingLookup(createDnsLookup(dns), steadyClock, cache),
    (outcome) => metrics.rblQueried(outcome),
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
  return controls.length === 0
    ? undefined
    : createControls(controls, (name, outcome) => parts.metrics.controlled(name, outcome));
}

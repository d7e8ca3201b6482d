import type { RegionAppliers, RegionEnvelope } from "@postern/shared/domain/regions";
import type { Bus, Serving } from "@postern/shared/platform/bus";
import { AppError } from "@postern/shared/platform/errors";
import { steadyClock } from "@postern/shared/platform/time";
import type { LogReader } from "./log-reader.ts";
import type { LogWatch } from "./log-watch.ts";
import { isRequest, logFeed, longestWaitMs, pullMethod, snapshotFeed } from "./messages.ts";

/** Each peer has one waiting request for each feed. */
const maxInFlight = 64;

interface ServePullsDeps {
  readonly bus: Bus;
  readonly region: string;
  readonly peers: readonly string[];
  readonly envelope: RegionEnvelope;
  readonly reader: LogReader;
  readonly watch: LogWatch;
  readonly appliers: RegionAppliers;
}

/** What follows a position; waits for something new for a limited time. */
async function readLog({ reader, watch }: ServePullsDeps, from: string | undefined) {
  const beganMs = steadyClock.now();
  const heldMs = (): number => steadyClock.now() - beganMs;
  for (;;) {
    const batch = await reader.read(from);
    if ("gone" in batch) return batch;
    if (batch.entries.length > 0 || heldMs() >= longestWaitMs || watch.isStopped())
      return { ...batch, heldMs: heldMs() };
    await watch.beyond(batch.next, longestWaitMs - heldMs());
  }
}

/** Every replica answers other regions, which only read. */
export function servePulls(deps: ServePullsDeps): Serving {
  const { bus, region, peers, envelope, appliers } = deps;
  const method = pullMethod(region);
  const feeds = new Map(appliers.feeds.map((feed) => [feed.name, feed]));
  const replyTo = (feed: string, from: string | undefined): Promise<unknown> => {
    if (feed === logFeed) return readLog(deps, from);
    if (feed === snapshotFeed) return appliers.snapshot(from);
    const found = feeds.get(feed);
    // A newer version has feeds that this one does not know.
    if (found === undefined) throw new AppError("BUS_NO_RESPONDERS", { detail: `no feed ${feed}` });
    return found.read(from);
  };
  return bus.rawServe(
    method,
    async (body) => {
      const opened = envelope.open(body, { method: method.name, to: region });
      if (opened === undefined || !peers.includes(opened.from) || !isRequest.accepts(opened.value))
        throw new AppError("REQUEST_MALFORMED", { detail: "no other region sent this" });
      const { feed, from, nonce } = opened.value;
      const reply = await replyTo(feed, from);
      return envelope.seal(reply, region, { method: method.name, to: opened.from, nonce });
    },
    { maxInFlight },
  );
}

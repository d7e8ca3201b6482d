import { randomBytes } from "node:crypto";
import type { DropReason, RegionEnvelope } from "@postern/shared/domain/regions";
import type { Bus } from "@postern/shared/platform/bus";
import { steadyClock } from "@postern/shared/platform/time";
import { longestWaitMs, maxReplyBytes, pullMethod } from "./messages.ts";

/** A reply that is not used. */
export class DroppedReply extends Error {
  readonly reason: DropReason;

  constructor(reason: DropReason) {
    super(`the reply of another region is ${reason}`);
    this.name = "DroppedReply";
    this.reason = reason;
  }
}

/**
 * Time for a reply beyond what the peer may wait, one after the other while there is none. A short one notices a cut soon, and a long one gets
 * a reply over a slow link.
 */
const allowancesMs = [1500, 1500, 3000, 6000];

export interface Pulled<Reply> {
  readonly reply: Reply;
  /** From the request to the reply. */
  readonly tookMs: number;
}

interface Check<Reply> {
  accepts(value: unknown): value is Reply;
}

export type PeerClient = ReturnType<typeof createPeerClient>;

/** Reads what one other region tells. `region` is this one. */
export function createPeerClient(peer: string, region: string, envelope: RegionEnvelope, bus: Bus) {
  const method = pullMethod(peer);
  let failures = 0;
  const allowanceMs = (): number => allowancesMs[failures % allowancesMs.length] ?? longestWaitMs;
  const opened = <Reply>(bytes: Buffer, nonce: string, check: Check<Reply>): Reply => {
    if (bytes.length > maxReplyBytes) throw new DroppedReply("oversized");
    const found = envelope.open(bytes, { method: method.name, to: region, nonce });
    if (found?.from !== peer) throw new DroppedReply("unauthentic");
    if (!check.accepts(found.value)) throw new DroppedReply("malformed");
    return found.value;
  };
  return {
    /** @throws AppError without a reply; DroppedReply */
    pull: async <Reply>(
      { feed, from }: { readonly feed: string; readonly from: string | undefined },
      check: Check<Reply>,
      signal: AbortSignal,
    ): Promise<Pulled<Reply>> => {
      const nonce = randomBytes(16).toString("base64url");
      const body = envelope.seal({ feed, from, nonce }, region, { method: method.name, to: peer });
      const beganMs = steadyClock.now();
      const deadline = beganMs + longestWaitMs + allowanceMs();
      try {
        const bytes = await bus.rawRequest(method, body, { deadline, signal });
        failures = 0;
        return { reply: opened(bytes, nonce, check), tookMs: steadyClock.now() - beganMs };
      } catch (error) {
        if (!(error instanceof DroppedReply)) failures += 1;
        throw error;
      }
    },
  };
}

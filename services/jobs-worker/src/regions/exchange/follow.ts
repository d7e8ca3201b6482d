import type { ApplyDeps } from "./apply-events.ts";
import type { PeerClient } from "./peer-client.ts";
import type { PeerRecord } from "./peer-record.ts";
import type { Positions } from "./positions.ts";

/** The pause after a failed request: short, because a link that returns should be used soon. */
export interface Pace {
  answered(): void;
  pause(signal: AbortSignal): Promise<void>;
}

/** What reading from one other region needs. */
export interface FollowDeps {
  readonly client: PeerClient;
  readonly record: PeerRecord;
  readonly positions: Positions;
  readonly apply: ApplyDeps;
  readonly pace: Pace;
}

import type { Base } from "@postern/shared/assembly";
import type { Fail } from "@postern/shared/contracts";
import type { ScriptRunner } from "@postern/shared/domain/scripts";
import type { Bus } from "@postern/shared/platform/bus";
import type { RedisClient } from "@postern/shared/platform/redis";
import type { EngineMetrics } from "./metrics.ts";
import type { LiveEngineSettings } from "./settings.ts";

/** What the features of an engine are built from. */
export interface Foundation {
  readonly base: Base;
  readonly bus: Bus;
  /** Of the role `state`. */
  readonly redis: RedisClient;
  /** A reload replaces the settings. */
  readonly live: { readonly current: LiveEngineSettings };
  readonly metrics: EngineMetrics;
  readonly scripts: { readonly decisions: ScriptRunner };
  /** Addresses this engine on the bus: heartbeats, and the pages of open listings. Random, because it is part of a subject. */
  readonly engineId: string;
}

/** A text of the catalogues in the client's language; nothing if there is none. */
export function catalogueMessage(
  { current }: Foundation["live"],
  key: string,
  acceptLanguage: string | undefined,
): Pick<Fail, "message" | "language"> {
  const found = current.policy.catalogues.find(key, { fixed: undefined, acceptLanguage });
  return found === undefined ? {} : { message: found.text, language: found.language };
}

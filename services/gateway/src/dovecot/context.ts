import { watchedBus } from "@postern/shared/domain/engine-watch";
import { steadyClock } from "@postern/shared/platform/time";
import type { Foundation } from "../foundation.ts";
import { createReadBody } from "../http/body.ts";
import type { Limits } from "../limits/context.ts";
import { createPolicyLog } from "./policy-log.ts";
import { createPolicyRenderer } from "./render.ts";

const maxBodyBytes = 131_072;

export function createDovecot(foundation: Foundation, { gate }: Limits) {
  const { settings, names, engineWatch } = foundation;
  return {
    ...foundation,
    /** Its requests fail immediately while no engine sends heartbeats. */
    bus: watchedBus(foundation.bus, engineWatch, steadyClock),
    renderer: createPolicyRenderer(names),
    log: createPolicyLog(foundation.processLogger),
    gate,
    readBody: createReadBody(settings.decompression),
    maxBodyBytes: Math.min(settings.maxBodyBytes, maxBodyBytes),
  };
}

export type DovecotDeps = ReturnType<typeof createDovecot>;

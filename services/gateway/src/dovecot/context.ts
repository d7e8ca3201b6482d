import { watchedBus } from "@postern/shared/domain/engine-watch";
import { steadyClock } from "@postern/shared/platform/time";
import type { AuthDeps } from "../auth/context.ts";
import type { Foundation } from "../foundation.ts";
import { createReadBody } from "../http/body.ts";
import { createPolicyLog } from "./policy-log.ts";
import { createPolicyRenderer } from "./render.ts";

const maxBodyBytes = 131_072;

export function createDovecot(foundation: Foundation, { metrics, gate }: AuthDeps) {
  const { settings, names, engineWatch } = foundation;
  return {
    /** Its requests fail immediately while no engine sends heartbeats. */
    bus: watchedBus(foundation.bus, engineWatch, steadyClock),
    engineWatch,
    live: foundation.live,
    renderer: createPolicyRenderer(names),
    log: createPolicyLog(foundation.processLogger),
    audit: foundation.audit,
    metrics,
    gate,
    callerAddress: foundation.addresses.callerAddress,
    reportIgnoredAddress: foundation.reportIgnoredAddress,
    readBody: createReadBody(settings.decompression),
    maxBodyBytes: Math.min(settings.maxBodyBytes, maxBodyBytes),
  };
}

export type DovecotDeps = ReturnType<typeof createDovecot>;

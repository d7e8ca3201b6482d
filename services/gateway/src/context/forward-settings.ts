import { createCallerSigner, type SharedClock } from "@postern/shared/platform/http";
import type { ForwardDeps } from "../forward/forward.ts";
import { createReadBody } from "../http/body.ts";
import type { GatewaySettings, LiveGatewaySettings } from "../settings.ts";

type FromSettings = Pick<
  ForwardDeps,
  "publicPaths" | "sign" | "origins" | "servesPages" | "servesConsole" | "readBody" | "maxBodyBytes" | "timeoutMs"
>;

/** The parts of forwarding that follow from the configuration alone. */
export function forwardSettings(
  settings: GatewaySettings,
  live: { readonly current: LiveGatewaySettings },
  sharedClock: SharedClock,
): FromSettings {
  const { assertion, origins, servesPages, decompression, maxBodyBytes, forwardTimeoutMs: timeoutMs } = settings;
  return {
    publicPaths: () => live.current.publicHookPaths,
    sign: createCallerSigner(assertion, sharedClock),
    origins,
    servesPages,
    servesConsole: settings.consoleAddresses.length > 0,
    readBody: createReadBody(decompression),
    maxBodyBytes,
    timeoutMs,
  };
}

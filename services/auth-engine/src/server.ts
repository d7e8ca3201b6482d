import { authenticate, cacheFlushScript, listAccounts, listAccountsAt, scriptModule } from "@postern/shared/contracts";
import type { Serving } from "@postern/shared/platform/bus";
import type { EngineContext } from "./context.ts";
import { serveMfaCredentials } from "./rpc/mfa-credentials.ts";

/** Limit of concurrent list pages: listings are rare and large, and must leave the backends to sign-ins. */
const maxListings = 16;
/** Jobs flush one name after the other. */
const maxFlushScripts = 16;
/** Limit of hook calls that wait for a database or a backend. */
const maxModuleCalls = 64;

/** Joins the queue group of each method that an engine serves. */
export function serveEngine({
  bus,
  settings,
  ...context
}: Pick<
  EngineContext,
  "bus" | "settings" | "engineId" | "authenticate" | "listAccounts" | "scripts" | "secondFactors" | "appPasswords"
>): readonly Serving[] {
  const { maxInFlight } = settings;
  return [
    bus.serve(authenticate, context.authenticate, { maxInFlight }),
    bus.serve(listAccounts, context.listAccounts, { maxInFlight: maxListings }),
    bus.serve(listAccountsAt(context.engineId), context.listAccounts, { maxInFlight: maxListings }),
    bus.serve(cacheFlushScript, context.scripts.runCacheFlushScript, { maxInFlight: maxFlushScripts }),
    bus.serve(scriptModule, context.scripts.callScriptModule, { maxInFlight: maxModuleCalls }),
    ...serveMfaCredentials({ bus, secondFactors: context.secondFactors, appPasswords: context.appPasswords }),
  ];
}

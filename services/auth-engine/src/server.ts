import type { Serving } from "@postern/shared/bus";
import { authenticate, cacheFlushScript, listAccounts, listAccountsAt, scriptModule } from "@postern/shared/contracts";
import type { EngineContext } from "./context.ts";
import { serveMfaArtefacts } from "./rpc/mfa-artefacts.ts";

/** Pages being read at once: listings are rare and big, and must leave the directories to those who sign in. */
const maxListings = 16;
/** Jobs flush one name after the other. */
const maxFlushScripts = 16;
/** Calls of hooks that wait for a database or a directory. */
const maxModuleCalls = 64;

/** Joins the queue group of each method that an engine answers. */
export function serveEngine({
  bus,
  settings,
  ...context
}: Pick<
  EngineContext,
  "bus" | "settings" | "instance" | "authenticate" | "listAccounts" | "scripts" | "secondFactors" | "appPasswords"
>): readonly Serving[] {
  const { maxInFlight } = settings;
  return [
    bus.serve(authenticate, context.authenticate, { maxInFlight }),
    bus.serve(listAccounts, context.listAccounts, { maxInFlight: maxListings }),
    bus.serve(listAccountsAt(context.instance), context.listAccounts, { maxInFlight: maxListings }),
    bus.serve(cacheFlushScript, context.scripts.runCacheFlushScript, { maxInFlight: maxFlushScripts }),
    bus.serve(scriptModule, context.scripts.callScriptModule, { maxInFlight: maxModuleCalls }),
    ...serveMfaArtefacts({ bus, secondFactors: context.secondFactors, appPasswords: context.appPasswords }),
  ];
}

import {
  authenticate,
  beginRehearsal,
  cacheFlushScript,
  describeAccount,
  findDomain,
  listAccounts,
  locateAddresses,
  scriptModule,
} from "@postern/shared/contracts";
import type { Serving } from "@postern/shared/platform/bus";
import type { EngineContext } from "./context.ts";
import { serveDovecot } from "./dovecot/context.ts";
import { serveSecondFactors } from "./second-factors/serve-second-factors.ts";

/** Limit of concurrent list pages: listings are rare and large, and must leave the backends to sign-ins. */
const maxListings = 16;
/** Operators read the pages of accounts one at a time; each description asks every backend. */
const maxDescriptions = 16;
/** Pages about sign-ins; each looks up some hundred addresses in memory. */
const maxLocating = 16;
/** Jobs flush one name after the other. */
const maxFlushScripts = 16;
/** Other services ask for a record once, and keep it. */
const maxDomains = 256;
/** An engine runs one, and refuses the others. */
const maxRehearsals = 16;
/** Limit of hook calls that wait for a database or a backend. */
const maxModuleCalls = 64;

/** Joins the queue group of each method that an engine serves, and serves it on a subject of the engine's own. */
export function serveEngine({ bus, settings, ...context }: EngineContext): readonly Serving[] {
  const { maxInFlight } = settings;
  const instance = context.engineId;
  return [
    bus.serve(authenticate, context.authenticate, { maxInFlight, instance }),
    bus.serve(listAccounts, context.listAccounts, { maxInFlight: maxListings, instance }),
    bus.serve(describeAccount, context.describeAccount, { maxInFlight: maxDescriptions, instance }),
    bus.serve(findDomain, context.domains.findDomain, { maxInFlight: maxDomains, instance }),
    bus.serve(locateAddresses, context.locateAddresses, { maxInFlight: maxLocating, instance }),
    bus.serve(cacheFlushScript, context.scripts.runCacheFlushScript, { maxInFlight: maxFlushScripts, instance }),
    bus.serve(scriptModule, context.scripts.callScriptModule, { maxInFlight: maxModuleCalls, instance }),
    bus.serve(beginRehearsal, context.rehearsing.begin, { maxInFlight: maxRehearsals, instance }),
    ...serveDovecot(bus, context.dovecot, { maxInFlight, instance }),
    ...serveSecondFactors(bus, instance, context.secondFactors, context.appPasswords),
  ];
}

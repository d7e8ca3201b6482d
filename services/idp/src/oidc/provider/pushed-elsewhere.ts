import { consumePushedRequest, readPushedRequest } from "@postern/shared/contracts";
import { type RegionCalls, tagOf } from "@postern/shared/domain/region-calls";
import { steadyClock, systemClock } from "@postern/shared/platform/time";
import { type Adapter, errors } from "oidc-provider";
import { digestOfId } from "../storage/models.ts";

const waitMs = 3000;
const soon = () => ({ deadline: steadyClock.now() + waitMs });

/**
 * Pushed authorization requests of all regions: the client and the browser may have reached different ones. The region that took a request
 * keeps it, and alone decides whether it was used.
 */
export function pushedElsewhere(here: Adapter, calls: RegionCalls): Adapter {
  return {
    ...here,
    find: async (id) => {
      const region = calls.elsewhere(tagOf(id));
      if (region === undefined) return here.find(id);
      const { found } = await calls.ask(region, readPushedRequest, { digest: digestOfId(id) }, soon());
      if (found === undefined) return undefined;
      const { payload, remainingSeconds } = found;
      return { ...payload, exp: Math.floor(systemClock.now() / 1000) + remainingSeconds };
    },
    consume: async (id) => {
      const region = calls.elsewhere(tagOf(id));
      if (region === undefined) return here.consume(id);
      const { isConsumed } = await calls.ask(region, consumePushedRequest, { digest: digestOfId(id) }, soon());
      if (!isConsumed) throw new errors.InvalidGrant("already used");
    },
  };
}

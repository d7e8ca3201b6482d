import { redeemLostPhoneCode } from "@postern/shared/contracts";
import type { LostPhoneCodes } from "@postern/shared/domain/lost-phone";
import type { RegionCalls } from "@postern/shared/domain/region-calls";
import { steadyClock } from "@postern/shared/platform/time";

const waitMs = 3000;

/**
 * Codes of the help desk of all regions. The region in which an operator created a code keeps it; one that this region does not know may be
 * any other's, and is wrong only if all of them say so.
 */
export function lostPhoneElsewhere(here: LostPhoneCodes, calls: RegionCalls | undefined): LostPhoneCodes {
  if (calls === undefined) return here;
  const peers = calls.regions.filter((region) => region !== calls.name);
  return {
    ...here,
    redeem: async (account, code, flowId) => {
      const known = await here.redeem(account, code, flowId);
      if (known !== "wrong") return known;
      const options = { deadline: steadyClock.now() + waitMs };
      const asking = peers.map((peer) => calls.ask(peer, redeemLostPhoneCode, { account, code, flowId }, options));
      const answers = await Promise.allSettled(asking);
      const outcomes = answers.flatMap((answer) => (answer.status === "fulfilled" ? [answer.value.outcome] : []));
      const right = outcomes.find((outcome) => outcome !== "wrong");
      if (right !== undefined) return right;
      const failed = answers.find(({ status }) => status === "rejected");
      if (failed?.status === "rejected") throw failed.reason;
      return "wrong";
    },
  };
}

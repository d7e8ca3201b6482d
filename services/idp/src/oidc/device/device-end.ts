import { pathTo } from "@postern/shared/contracts";
import { localPath } from "../../flow/flow-paths.ts";
import type { FlowEnd } from "../../flow/flow-port.ts";

const consentPath = pathTo("deviceConsentPage");

/** After the sign-in the user must always confirm: the device could be an attacker's (RFC 8628 §5.4). */
export const deviceEnd: FlowEnd = {
  finishLogin: async (flowId) => ({ redirect: localPath(consentPath, undefined, { flow: flowId }) }),
};

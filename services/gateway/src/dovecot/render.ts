import type { AuthPolicyVerdict } from "@postern/shared/contracts";
import type { WireNames } from "../http/naming.ts";
import { type HttpReply, jsonReply } from "../http/reply.ts";

/** `status` of a decision: -1 rejects, 0 accepts, above 0 delays by this number of seconds. */
function statusOf({ verdict, delaySeconds = 1 }: AuthPolicyVerdict): number {
  if (verdict === "reject") return -1;
  return verdict === "tarpit" ? delaySeconds : 0;
}

/** The reason of a refusal or delay, for the caller's own log; users see `msg` only. */
function attributesOf({ reason, rule, retryAfterSeconds }: AuthPolicyVerdict): Readonly<Record<string, string>> {
  return {
    ...(reason !== undefined && { reason }),
    ...(rule !== undefined && { rule }),
    ...(retryAfterSeconds !== undefined && { retry_after: String(retryAfterSeconds) }),
  };
}

/** The responses of the protocol, with the members that Dovecot and weakforced's clients read. */
export function createPolicyRenderer({ session: header }: Pick<WireNames, "session">) {
  return {
    verdict: (verdict: AuthPolicyVerdict, session: string): HttpReply =>
      jsonReply(200, [[header, session]], {
        status: statusOf(verdict),
        msg: verdict.message ?? "",
        r_attrs: attributesOf(verdict),
      }),
    done: (session: string): HttpReply => jsonReply(200, [[header, session]], { status: "ok" }),
    failure: (status: number, reason: string, session: string): HttpReply =>
      jsonReply(status, [[header, session]], { status: "failure", reason }),
  };
}

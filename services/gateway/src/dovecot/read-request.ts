import type { AuthPolicyLogin, AuthPolicyResult } from "@postern/shared/contracts";
import { flushedAddress } from "@postern/shared/domain/flush";
import { readClientAddress } from "@postern/shared/platform/net";
import { malformed } from "../dialects/request-error.ts";
import { type Members, readAttributes, readFlag, readLogin, readText } from "./members.ts";

/** What the gateway knows about a request apart from its body. */
export interface PolicyRequestFacts {
  readonly session: string;
  readonly callerIp: string;
  readonly reportUnreadable: (value: string) => void;
}

const maxProtocol = 64;
const maxSession = 256;
/** The longest that Dovecot and weakforced send is a SHA-512 in hexadecimal. */
const maxHash = 512;

/**
 * The client as the authenticated caller names it. A caller that does not name it is not its own client: its address
 * must not be banned for what its users do.
 */
function clientOf(
  members: Members,
  { callerIp, reportUnreadable }: PolicyRequestFacts,
): Pick<AuthPolicyLogin, "clientIp" | "clientIpIsPeer"> {
  const remote = readText(members, "remote");
  const named = remote === undefined ? undefined : readClientAddress(remote);
  if (named !== undefined) return { clientIp: named.address };
  if (remote !== undefined) reportUnreadable(remote);
  return { clientIp: callerIp, clientIpIsPeer: true };
}

/**
 * Reads the sign-in of an allow or report request.
 *
 * @throws AppError REQUEST_MALFORMED
 */
export function readPolicyLogin(members: Members, facts: PolicyRequestFacts): AuthPolicyLogin {
  const username = readLogin(members);
  if (username === undefined) throw malformed("login is required");
  const mechanism = readText(members, "mech", maxProtocol)?.toLowerCase();
  const clientId = readText(members, "device_id");
  const externalSessionId = readText(members, "session_id", maxSession);
  const attributes = readAttributes(members);
  return {
    session: facts.session,
    username,
    protocol: readText(members, "protocol", maxProtocol)?.trim().toLowerCase() || "default",
    tls: readFlag(members, "tls") ?? false,
    ...clientOf(members, facts),
    ...(mechanism !== undefined && { mechanism }),
    ...(clientId !== undefined && { clientId }),
    ...(externalSessionId !== undefined && { externalSessionId }),
    ...(attributes !== undefined && { attributes }),
  };
}

/**
 * Why a failed sign-in says nothing about the password; undefined if it may have been wrong. Dovecot before 2.4 sends no
 * `fail_type`.
 */
function undecidedBecause(members: Members): string | undefined {
  if (readFlag(members, "policy_reject") === true) return "policy";
  const failType = readText(members, "fail_type");
  return failType === "policy" || failType === "internal" || failType === "expired" ? failType : undefined;
}

/** A report, or why it is not counted. */
type ReadReport =
  | { readonly login: AuthPolicyResult; readonly ignored?: undefined }
  | { readonly login: AuthPolicyLogin; readonly ignored: string };

/**
 * Reads a report request.
 *
 * @throws AppError REQUEST_MALFORMED
 */
export function readPolicyReport(members: Members, facts: PolicyRequestFacts): ReadReport {
  const login = readPolicyLogin(members, facts);
  const success = readFlag(members, "success");
  if (success === undefined) throw malformed("success is required");
  const passwordHash = readText(members, "pwhash", maxHash);
  const hash = passwordHash === undefined ? {} : { passwordHash };
  if (success) return { login: { ...login, ...hash, result: "success" } };
  const ignored = undecidedBecause(members);
  if (ignored !== undefined) return { login, ignored };
  const isUnknown = readText(members, "fail_type") === "account";
  return { login: { ...login, ...hash, result: isUnknown ? "unknown_user" : "wrong_password" } };
}

/**
 * Reads a reset request: an address, a login name, or both.
 *
 * @throws AppError REQUEST_MALFORMED
 */
export function readPolicyReset(members: Members, session: string) {
  const ip = readText(members, "ip");
  const address = ip === undefined ? undefined : flushedAddress(ip.trim());
  if (ip !== undefined && address === undefined) throw malformed("ip must be an address");
  const username = readLogin(members) || undefined;
  if (address === undefined && username === undefined) throw malformed("ip or login is required");
  return { session, ...(address !== undefined && { address }), ...(username !== undefined && { username }) };
}

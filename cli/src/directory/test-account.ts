import type { Secret } from "@postern/shared/platform/crypto";
import type {
  Backend,
  BackendAccount,
  BackendContext,
  BackendQuery,
  PasswordWarning,
} from "../../../services/auth-engine/src/backends/backend.ts";
import type { FindOutcome } from "../../../services/auth-engine/src/backends/second-factor-store.ts";
import { appPasswordDigest, matchAppPassword } from "../../../services/auth-engine/src/second-factors/app-passwords.ts";
import type { ReportStep, Verdict } from "./steps.ts";

export interface Asking {
  readonly backend: Backend;
  readonly query: BackendQuery;
  /** Undefined if no password was given. */
  readonly password: Secret | undefined;
  readonly context: BackendContext;
  readonly report: ReportStep;
}

type Answer = Verdict | "unknown_user" | "not_served";

function reportAccount(
  { account, accountField, attributes, totpSecretField, groups }: BackendAccount,
  report: ReportStep,
): void {
  report("account", "ok", `${account} (from ${accountField})`);
  const shown = Object.entries(attributes).filter(([name]) => name !== totpSecretField);
  const texts = shown.map(([name, values]) => `${name}=${values.join(" | ")}`);
  report("attributes", texts.length === 0 ? "note" : "ok", texts.length === 0 ? "none" : texts.join(", "));
  report(
    "groups",
    groups === undefined ? "note" : "ok",
    groups === undefined ? "not searched" : groups.join(", ") || "none",
  );
}

async function reportFactors({ backend, query, context, report }: Asking): Promise<FindOutcome | undefined> {
  const found = await backend.mfa?.findAccount({ username: query.username, protocol: query.protocol }, context);
  if (found?.kind !== "ok") return found;
  if (found.account.supports.size === 0) {
    report("second factors", "note", "not stored in this backend");
    return found;
  }
  const { totpSecret, recoveryCodes, webauthnCredentials } = await found.account.readFactors(context);
  const keepsApps = found.account.supports.has("app_passwords");
  const appPasswords = keepsApps ? await found.account.listAppPasswords(context) : [];
  const counts = [
    `TOTP ${totpSecret === undefined ? "no" : "yes"}`,
    `recovery codes ${recoveryCodes.length}`,
    `WebAuthn ${webauthnCredentials.length}`,
    `app passwords ${appPasswords.length}`,
  ];
  report("second factors", "ok", counts.join(", "));
  return found;
}

async function checkAppPassword(digest: string, found: FindOutcome | undefined, asking: Asking): Promise<Verdict> {
  const { query, context, report } = asking;
  const { protocol } = query;
  const match = found?.kind === "ok" ? await matchAppPassword(found.account, { digest, protocol }, context) : undefined;
  if (match !== undefined)
    report("app password", "ok", `${match.label}, for ${match.protocols.join(", ") || "all protocols"}`);
  else
    report(
      "app password",
      "stop",
      `has the form of an app password, but the account has no matching one for ${protocol}`,
    );
  return match === undefined ? "denied" : "accepted";
}

function warningText({ graceLoginsLeft, expiresInSeconds }: PasswordWarning = {}): string {
  if (graceLoginsLeft !== undefined) return `, but expired: ${graceLoginsLeft} grace logins left`;
  return expiresInSeconds === undefined ? "" : `, expires in ${expiresInSeconds} s`;
}

async function checkPassword({ backend, query, context, report }: Asking, password: Secret): Promise<Answer> {
  const outcome = await backend.verify(query, password, context);
  if (outcome.kind === "ok") {
    report("password", "ok", `correct${warningText(outcome.passwordWarning)}`);
    return "accepted";
  }
  const detail = "detail" in outcome && outcome.detail !== undefined ? `: ${outcome.detail}` : "";
  report("password", "stop", `${outcome.kind.replaceAll("_", " ")}${detail}`);
  // Engines ask the next backend after the denial of another server, which does not say whether it knows the user.
  if (outcome.kind === "denied") return "unknown_user";
  return outcome.kind === "unknown_user" || outcome.kind === "not_served" ? outcome.kind : "denied";
}

/** Reports what the backend knows about the user. Throws errors that make a login a temporary failure. */
export async function testAccount(asking: Asking): Promise<Answer> {
  const { backend, query, context, password, report } = asking;
  const looked = await backend.lookup(query, context);
  const factors = await reportFactors(asking);
  if (looked.kind !== "ok") {
    const isOff = factors?.kind === "ok" && factors.isDisabled;
    if (isOff) report("account", "stop", "disabled");
    else report("account", "note", looked.kind === "not_served" ? `no search for ${query.protocol}` : "unknown user");
    return isOff ? "denied" : looked.kind;
  }
  reportAccount(looked.account, report);
  if (password === undefined) {
    report("password", "note", "not given");
    return "unknown";
  }
  const digest = appPasswordDigest(password.reveal());
  return digest === undefined || backend.kind === "remote"
    ? checkPassword(asking, password)
    : checkAppPassword(digest, factors, asking);
}

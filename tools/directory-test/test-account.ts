import type { Secret } from "@postern/shared/crypto";
import type {
  Directory,
  DirectoryAccount,
  DirectoryContext,
  DirectoryQuery,
} from "../../services/auth-engine/src/directories/directory.ts";
import { appPasswordDigest } from "../../services/auth-engine/src/mfa-artefacts/app-password.ts";
import { matchAppPassword } from "../../services/auth-engine/src/mfa-artefacts/app-passwords.ts";
import type { FindOutcome } from "../../services/auth-engine/src/mfa-artefacts/mfa-artefacts.ts";
import type { Tell, Verdict } from "./steps.ts";

export interface Asking {
  readonly directory: Directory;
  readonly query: DirectoryQuery;
  /** Undefined: none was given. */
  readonly password: Secret | undefined;
  readonly context: DirectoryContext;
  readonly tell: Tell;
}

type Answer = Verdict | "unknown_user" | "not_served";

function tellAccount(
  { account, accountField, attributes, totpSecretField, groups }: DirectoryAccount,
  tell: Tell,
): void {
  tell("account", "ok", `${account} (from ${accountField})`);
  const shown = Object.entries(attributes).filter(([name]) => name !== totpSecretField);
  const texts = shown.map(([name, values]) => `${name}=${values.join(" | ")}`);
  tell("attributes", texts.length === 0 ? "note" : "ok", texts.length === 0 ? "none" : texts.join(", "));
  tell(
    "groups",
    groups === undefined ? "note" : "ok",
    groups === undefined ? "not looked for" : groups.join(", ") || "none",
  );
}

async function tellFactors({ directory, query, context, tell }: Asking): Promise<FindOutcome | undefined> {
  const found = await directory.mfa?.find({ username: query.username, protocol: query.protocol }, context);
  if (found?.kind !== "ok") return found;
  if (found.account.supports.size === 0) {
    tell("second factors", "note", "this directory keeps none");
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
  tell("second factors", "ok", counts.join(", "));
  return found;
}

async function tellAppPassword(digest: string, found: FindOutcome | undefined, asking: Asking): Promise<Verdict> {
  const { query, context, tell } = asking;
  const { protocol } = query;
  const match = found?.kind === "ok" ? await matchAppPassword(found.account, { digest, protocol }, context) : undefined;
  if (match !== undefined)
    tell("app password", "ok", `${match.label}, for ${match.protocols.join(", ") || "all protocols"}`);
  else tell("app password", "stop", `it has the form of one, and the account has none like it for ${protocol}`);
  return match === undefined ? "denied" : "accepted";
}

async function tellPassword({ directory, query, context, tell }: Asking, password: Secret): Promise<Answer> {
  const outcome = await directory.verify(query, password, context);
  if (outcome.kind === "ok") {
    tell("password", "ok", "right");
    return "accepted";
  }
  const detail = "detail" in outcome && outcome.detail !== undefined ? `: ${outcome.detail}` : "";
  tell("password", "stop", `${outcome.kind.replaceAll("_", " ")}${detail}`);
  return outcome.kind === "unknown_user" || outcome.kind === "not_served" ? outcome.kind : "denied";
}

/** What the directory says of the user, thing by thing. Throws what a login would end with as a temporary failure. */
export async function testAccount(asking: Asking): Promise<Answer> {
  const { directory, query, context, password, tell } = asking;
  const looked = await directory.lookup(query, context);
  const factors = await tellFactors(asking);
  if (looked.kind !== "ok") {
    const isOff = factors?.kind === "ok" && factors.isDisabled;
    if (isOff) tell("account", "stop", "disabled");
    else tell("account", "note", looked.kind === "not_served" ? `no search for ${query.protocol}` : "unknown here");
    return isOff ? "denied" : looked.kind;
  }
  tellAccount(looked.account, tell);
  if (password === undefined) {
    tell("password", "note", "none given");
    return "unknown";
  }
  const digest = appPasswordDigest(password.reveal());
  return digest === undefined ? tellPassword(asking, password) : tellAppPassword(digest, factors, asking);
}

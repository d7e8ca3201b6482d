import type { ScopeWord } from "../operations/route-family.ts";
import type { OperationId } from "../operations.ts";

/** Roles of operators in the console. Each may do what the ones before it may. */
export const consoleRoles = ["helpdesk", "security", "admin"] as const;
export type ConsoleRole = (typeof consoleRoles)[number];

/** What an operator acts on. The last three belong to an account. */
export type ConsoleTarget = "account" | "network" | "session" | "passkey" | "app password";

export interface ConsoleAction {
  /** On the button. */
  readonly label: string;
  /** What it will do, in a sentence beside the button. */
  readonly effect: string;
  readonly target: ConsoleTarget;
  /** The lowest role that may do it. */
  readonly role: ConsoleRole;
  /** `runtime.console.helpdesk_resets_factors` extends it to the role helpdesk. */
  readonly helpdeskIfAllowed?: true;
  /** Requires a sign-in with the second factor within the last five minutes. */
  readonly needsProof?: true;
  /** Operators of one domain do not have it. */
  readonly isOfSite?: true;
  /** It ends or deletes what the user has. The pages mark it, and say what it will end. */
  readonly isDangerous?: true;
  /** The operation of the management interface that carries it out. */
  readonly operation: OperationId;
  /** The scope with which it is called; the roles that may do it have it. */
  readonly scope: ScopeWord;
}

const byHelpdesk = { role: "helpdesk", scope: "security" } as const;
const bySecurity = { role: "security", needsProof: true, scope: "security" } as const;
/** Takes a credential away from a user. */
const removal = {
  role: "security",
  helpdeskIfAllowed: true,
  needsProof: true,
  isDangerous: true,
  scope: "mfa_write",
} as const;

/** Everything that an operator may do in the console. docs/operate/console.md has the same rows; a test compares them. */
export const consoleActions = {
  unban: {
    ...byHelpdesk,
    label: "Unban",
    effect: "Removes the bans and failure counts of this network. Its users can sign in again.",
    target: "network",
    operation: "flushBruteForceRule",
  },
  flush: {
    ...byHelpdesk,
    label: "Flush",
    effect:
      "Removes cached results of the account, and the bans of addresses that sent wrong passwords for it. The backends are asked again.",
    target: "account",
    operation: "flushUserCache",
  },
  unlock: {
    ...byHelpdesk,
    label: "Unlock second factors",
    effect: "Sets the counts of wrong codes to zero. The second factors themselves remain.",
    target: "account",
    operation: "unlockSecondFactors",
  },
  "end-sessions": {
    ...bySecurity,
    label: "End sessions",
    effect: "Ends all browser sessions and revokes all tokens. Programs with a password are not affected.",
    target: "account",
    isDangerous: true,
    operation: "deleteOidcSessions",
  },
  "forget-devices": {
    ...byHelpdesk,
    label: "Forget remembered devices",
    effect:
      "Asks for the second factor again on every device on which the user chose not to be asked. Sessions on them remain.",
    target: "account",
    operation: "forgetUserDevices",
  },
  suspend: {
    ...bySecurity,
    label: "Suspend the account",
    effect:
      "Refuses every sign-in, in mail programs too, and ends all sessions and tokens. Mail is still delivered. Connections that mail programs have open stay open until they end.",
    target: "account",
    isDangerous: true,
    operation: "suspendAccount",
  },
  resume: {
    ...bySecurity,
    label: "Resume the account",
    effect: "The user can sign in again. Sessions and tokens from before remain ended.",
    target: "account",
    operation: "resumeAccount",
  },
  invite: {
    label: "Invite to the console",
    effect:
      "Creates a code that admits this operator to the console with a new second factor. Pass it on in person: it replaces an earlier code, works once, and expires after a day. It assigns no role.",
    target: "account",
    role: "admin",
    needsProof: true,
    isOfSite: true,
    operation: "inviteOperator",
    scope: "admin",
  },
  "lost-phone": {
    label: "Create a lost-phone code",
    effect:
      "Creates a code that takes the place of the second factor in one sign-in within an hour. Verify who calls first. The user is notified at every known address.",
    target: "account",
    role: "security",
    helpdeskIfAllowed: true,
    needsProof: true,
    operation: "createLostPhoneCode",
    scope: "mfa_write",
  },
  "reset-totp": {
    ...removal,
    label: "Remove the authenticator app",
    effect:
      "Deletes the TOTP secret. If no other factor remains, the password is enough to sign in until the user sets up a new one.",
    target: "account",
    operation: "deleteTotpSecret",
  },
  "reset-recovery": {
    ...removal,
    label: "Remove recovery codes",
    effect: "Deletes all recovery codes. The other second factors remain.",
    target: "account",
    operation: "deleteRecoveryCodes",
  },
  "end-session": {
    ...bySecurity,
    label: "End",
    effect: "Ends this session, and everything that applications obtained through it.",
    target: "session",
    isDangerous: true,
    operation: "deleteOidcSession",
  },
  "remove-passkey": {
    ...removal,
    label: "Remove the passkey",
    effect: "Deletes this passkey. It no longer signs in.",
    target: "passkey",
    operation: "deleteUserPasskey",
  },
  "remove-app-password": {
    ...removal,
    label: "Remove the app password",
    effect: "Deletes this app password. Programs that use it can no longer sign in.",
    target: "app password",
    operation: "deleteUserAppPassword",
  },
} as const satisfies Readonly<Record<string, ConsoleAction>>;

export type ConsoleActionId = keyof typeof consoleActions;

export function isConsoleAction(id: string): id is ConsoleActionId {
  return Object.hasOwn(consoleActions, id);
}

/** Scopes with which the console calls the management interface for an operator of this role. */
const roleScopes: Readonly<Record<ConsoleRole, readonly ScopeWord[]>> = {
  helpdesk: ["security"],
  security: ["security", "audit_read", "mfa_write"],
  admin: ["security", "audit_read", "mfa_write", "admin"],
};

/** How the site extends the role helpdesk. */
export interface HelpdeskRule {
  /** `runtime.console.helpdesk_resets_factors` */
  readonly resetsFactors: boolean;
  /** `identity.mfa.lost_phone.enabled`: without it, no role has the action `lost-phone`. */
  readonly offersLostPhone?: boolean;
}

export function scopesOfRole(
  role: ConsoleRole,
  { resetsFactors }: Pick<HelpdeskRule, "resetsFactors">,
): readonly ScopeWord[] {
  return role === "helpdesk" && resetsFactors ? [...roleScopes.helpdesk, "mfa_write"] : roleScopes[role];
}

/** Position of a role, from 1; 0 for an account without one. */
export function rankOfRole(role: ConsoleRole | undefined): number {
  return role === undefined ? 0 : consoleRoles.indexOf(role) + 1;
}

/** Whether the site offers the action to any role. */
export function isOfferedAction(id: ConsoleActionId, { offersLostPhone = false }: HelpdeskRule): boolean {
  return id !== "lost-phone" || offersLostPhone;
}

/**
 * An operator and what the role is good for: the whole site, or the accounts of one domain, whose groups its directory chooses.
 */
export interface OperatorRight {
  readonly role: ConsoleRole;
  /** The only domain whose accounts the operator sees, as names are compared by it. Absent: the site. */
  readonly domain?: string | undefined;
}

/** @param domain see `OperatorRight`: networks have users of several domains, and only the site admits operators */
export function mayAct({ role, domain }: OperatorRight, id: ConsoleActionId, rule: HelpdeskRule): boolean {
  const action: ConsoleAction = consoleActions[id];
  if (!isOfferedAction(id, rule)) return false;
  if (domain !== undefined && (action.target === "network" || action.isOfSite === true)) return false;
  const lowest = action.helpdeskIfAllowed === true && rule.resetsFactors ? "helpdesk" : action.role;
  return rankOfRole(role) >= rankOfRole(lowest);
}

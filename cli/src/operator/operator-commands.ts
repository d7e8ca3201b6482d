import { stringify } from "yaml";
import { printable } from "../table.ts";
import { accountCommand } from "./account.ts";
import { readConfig, readHistory, readInvitation, readLostPhoneCode, readUnlocked } from "./answers.ts";
import { auditCommand } from "./audit.ts";
import { bansCommand } from "./bans.ts";
import { clientsCommand } from "./clients.ts";
import { decisionTable } from "./decision-rows.ts";
import { domainsCommand } from "./domains.ts";
import { factorsCommand } from "./factors.ts";
import { flushCommand, unbanCommand } from "./flush.ts";
import { keysCommand } from "./keys.ts";
import { subjectKind } from "./operand-kind.ts";
import type { CommandContext, OperatorCommand, Shown } from "./operator-command.ts";
import { recordLimit } from "./record-limit.ts";
import { regionsCommand } from "./regions.ts";
import { riskCommand } from "./risk.ts";
import { sessionsCommand } from "./sessions.ts";
import { shadowCommand } from "./shadow.ts";
import { statusCommand } from "./status.ts";
import { resumeCommand, suspendCommand, suspensionsCommand } from "./suspensions.ts";
import { topCommand } from "./top/top.ts";
import { watchCommand } from "./watch/watch.ts";
import { whyCommand } from "./why.ts";

const usage = "history ACCOUNT|NETWORK|REFERENCE [--domain DOMAIN] [--limit N]";

const historyCommand: OperatorCommand = {
  usage,
  summary: "list the recorded sign-ins of an account, a network or a reference",
  help: [
    "Lists sign-ins, newest first; equal consecutive ones are one line with their number. NETWORK is an address, or a network",
    "within an IPv4 /24 or IPv6 /48. --domain DOMAIN lists only those of accounts and typed names of a domain. --limit N is 50",
    "by default, at most 500. The list is empty unless observability.decision_history is enabled. The request is audited.",
  ],
  operands: { min: 1, max: 1 },
  options: ["limit", "domain"],
  run: async ({ api, operands: [subject = ""], flags }) => {
    const { domain } = flags;
    const query = {
      [subjectKind(subject)]: subject,
      limit: String(recordLimit(flags.limit)),
      ...(domain !== undefined && { domain }),
    };
    const page = readHistory(await api.ask("listDecisions", { query }));
    const { records, next, incomplete = [] } = page;
    const missing = incomplete.map((reason) => printable(`incomplete: ${reason}`));
    if (records.length === 0)
      return { lines: [`no sign-in of ${printable(subject)} is recorded`, ...missing], json: page };
    const more = next === undefined ? [] : ["", "there are more records: use a larger --limit"];
    return { lines: [...decisionTable(records), ...more, ...missing], json: page };
  },
};

const factorNames = { totp: "authenticator app", recovery: "recovery codes" } as const;

async function unlock({ api, operands }: CommandContext): Promise<Shown> {
  const [username = ""] = operands;
  const { wrong_codes: counts } = readUnlocked(await api.ask("unlockSecondFactors", { body: { username } }));
  const lines = (["totp", "recovery"] as const).flatMap((factor) =>
    counts[factor] === undefined ? [] : `  ${factorNames[factor]}: ${counts[factor]} consecutive wrong codes`,
  );
  return {
    lines: lines.length === 0 ? ["no wrong codes had been counted"] : ["reset to zero:", ...lines],
    json: { wrong_codes: counts },
  };
}

const unlockCommand: OperatorCommand = {
  usage: "unlock USER",
  summary: "unlock the second factors of a user",
  help: [
    "A second factor is locked after identity.mfa.totp.max_failures consecutive wrong codes, given after the correct password.",
    "If it was not the user, someone else knows the password: have it changed first. Each factor is locked separately.",
  ],
  operands: { min: 1, max: 1 },
  run: unlock,
};

async function invite({ api, operands }: CommandContext): Promise<Shown> {
  const [username = ""] = operands;
  const invitation = readInvitation(await api.ask("inviteOperator", { body: { username } }));
  const { account, code, expires } = invitation;
  return {
    lines: [`code for ${printable(account)}, once, until ${expires}:`, "", `  ${code}`],
    json: { ...invitation },
  };
}

const inviteCommand: OperatorCommand = {
  usage: "invite USER",
  summary: "create a code that admits a new operator to the console",
  help: [
    "The operator sets up a second factor, signs in to the console with it, and enters the code. From then on, the console accepts",
    "this factor, and others that are set up with it. The code works once, for a day. Pass it on in person. It assigns no role.",
  ],
  operands: { min: 1, max: 1 },
  run: invite,
};

async function createLostPhoneCode({ api, operands }: CommandContext): Promise<Shown> {
  const [username = ""] = operands;
  const answer = readLostPhoneCode(await api.ask("createLostPhoneCode", { body: { username } }));
  const { account, code, expires } = answer;
  return {
    lines: [`code for ${printable(account)}, for one sign-in, until ${expires}:`, "", `  ${code}`],
    json: { ...answer },
  };
}

const lostPhoneCommand: OperatorCommand = {
  usage: "lost-phone USER",
  summary: "create a code with which a user who lost the second factor signs in once",
  help: [
    'Verify who calls first. The user signs in with the password, chooses "I can\'t use my app", and enters the code. The session',
    "changes no second factors before `postern factors reset USER` has removed the old one. The user is notified at every known",
    "address. Operators, suspended accounts and ones with an unanswered suspicious sign-in get no code.",
  ],
  operands: { min: 1, max: 1 },
  run: createLostPhoneCode,
};

const remoteConfigCommand: OperatorCommand = {
  usage: "config load",
  summary: "print the effective configuration of the running site",
  help: [
    "Reads the configuration of the running admin service; `postern config dump` reads a local file. Secrets are masked.",
    "Prints YAML, or JSON with --json.",
  ],
  operands: { min: 1, max: 1 },
  actions: ["load"],
  run: async ({ api }) => {
    const configuration: unknown = JSON.parse(readConfig(await api.ask("loadConfiguration")).result);
    return { lines: stringify(configuration).trimEnd().split("\n"), json: configuration };
  },
};

/** The commands that connect to a running site, by name, in the order of the overview. */
export const operatorCommands: ReadonlyMap<string, OperatorCommand> = new Map([
  ["why", whyCommand],
  ["history", historyCommand],
  ["audit", auditCommand],
  ["account", accountCommand],
  ["risk", riskCommand],
  ["unban", unbanCommand],
  ["unlock", unlockCommand],
  ["suspend", suspendCommand],
  ["resume", resumeCommand],
  ["suspensions", suspensionsCommand],
  ["flush", flushCommand],
  ["bans", bansCommand],
  ["sessions", sessionsCommand],
  ["factors", factorsCommand],
  ["lost-phone", lostPhoneCommand],
  ["invite", inviteCommand],
  ["clients", clientsCommand],
  ["keys", keysCommand],
  ["shadow", shadowCommand],
  ["domains", domainsCommand],
  ["regions", regionsCommand],
  ["status", statusCommand],
  ["top", topCommand],
  ["watch", watchCommand],
  ["config", remoteConfigCommand],
]);

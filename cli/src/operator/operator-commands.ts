import { accountCommand } from "./account.ts";
import { bansCommand } from "./bans.ts";
import { clientsCommand } from "./clients.ts";
import { factorsCommand } from "./factors.ts";
import { flushCommand, unbanCommand } from "./flush.ts";
import { historyCommand } from "./history.ts";
import { inviteCommand } from "./invite.ts";
import { keysCommand } from "./keys.ts";
import type { OperatorCommand } from "./operator-command.ts";
import { remoteConfigCommand } from "./remote-config.ts";
import { riskCommand } from "./risk.ts";
import { sessionsCommand } from "./sessions.ts";
import { statusCommand } from "./status.ts";
import { unlockCommand } from "./unlock.ts";
import { whyCommand } from "./why.ts";

/** The commands that connect to a running site, by name, in the order of the overview. */
export const operatorCommands: ReadonlyMap<string, OperatorCommand> = new Map([
  ["why", whyCommand],
  ["history", historyCommand],
  ["account", accountCommand],
  ["risk", riskCommand],
  ["unban", unbanCommand],
  ["unlock", unlockCommand],
  ["flush", flushCommand],
  ["bans", bansCommand],
  ["sessions", sessionsCommand],
  ["factors", factorsCommand],
  ["invite", inviteCommand],
  ["clients", clientsCommand],
  ["keys", keysCommand],
  ["status", statusCommand],
  ["config", remoteConfigCommand],
]);

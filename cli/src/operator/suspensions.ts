import type { SuspensionDone } from "@postern/shared/contracts";
import { printable, table } from "../table.ts";
import { readSuspensionDone, readSuspensions } from "./answers.ts";
import type { OperatorCommand, Shown } from "./operator-command.ts";

function sessionsLine({ sessions_ended: count }: SuspensionDone): string {
  return count === undefined
    ? "warning: the identity provider did not answer, so sessions and tokens may come back when the account is resumed: repeat the command"
    : `ended: all tokens, and ${count} browser session${count === 1 ? "" : "s"}`;
}

async function suspend({ api, operands, flags }: Parameters<OperatorCommand["run"]>[0]): Promise<Shown> {
  const [username = ""] = operands;
  const { for: lasts, reason } = flags;
  const body = { username, ...(lasts !== undefined && { for: lasts }), ...(reason !== undefined && { reason }) };
  const done = readSuspensionDone(await api.ask("suspendAccount", { body }));
  const { accounts, until, is_known: isKnown, is_complete: isComplete = true } = done;
  const names = accounts.join(" ");
  return {
    lines: [
      printable(`suspended until ${until ?? `\`postern resume ${names}\``}: ${names}`),
      ...(isKnown ? [] : ["warning: no backend that answered has this account; exactly this name is suspended"]),
      ...(isComplete
        ? []
        : [
            "warning: not every backend could be asked, so further accounts may have this name: repeat the command later",
          ]),
      sessionsLine(done),
      "Mail is still delivered. Connections that mail servers have open stay open: end them there.",
    ],
    json: done,
  };
}

export const suspendCommand: OperatorCommand = {
  usage: "suspend USER [--for DURATION] [--reason TEXT]",
  summary: "refuse all sign-ins to an account, and end its sessions",
  help: [
    "Refuses every sign-in by any name, protocol and credential, ends sessions and tokens, and notifies the user. The directory is",
    "not changed. --for DURATION resumes the account after this time, such as 24h or 7d; without it, `postern resume` does.",
    "--reason TEXT is shown to the user after a correct password, in place of a general text. Repeating it replaces both.",
  ],
  operands: { min: 1, max: 1 },
  options: ["for", "reason"],
  run: suspend,
};

export const resumeCommand: OperatorCommand = {
  usage: "resume USER",
  summary: "let the user of a suspended account sign in again",
  help: [
    "Every engine accepts sign-ins within a second. Sessions and tokens from before the suspension remain ended. The exit code is 1",
    "if the account was not suspended.",
  ],
  operands: { min: 1, max: 1 },
  run: async ({ api, operands: [username = ""] }) => {
    const done = readSuspensionDone(await api.ask("resumeAccount", { body: { username } }));
    const { accounts } = done;
    if (accounts.length === 0) return { exitCode: 1, lines: [printable(`${username} was not suspended`)], json: done };
    const missing = done.sessions_ended === undefined ? [sessionsLine(done)] : [];
    return { lines: [printable(`resumed: ${accounts.join(" ")}`), ...missing], json: done };
  },
};

export const suspensionsCommand: OperatorCommand = {
  usage: "suspensions",
  summary: "list the suspended accounts",
  help: ["Lists the accounts that operators have suspended, the latest first."],
  operands: { min: 0, max: 0 },
  run: async ({ api }) => {
    const list = readSuspensions(await api.ask("listSuspensions"));
    const rows = list.suspensions.map(({ account, since, until, by, reason }) => [
      account,
      since,
      until ?? "resumed",
      by === "" ? "-" : by,
      reason ?? "-",
    ]);
    const lines =
      rows.length === 0 ? ["no account is suspended"] : table(["ACCOUNT", "SINCE", "UNTIL", "BY", "REASON"], rows);
    return { lines, json: list };
  },
};

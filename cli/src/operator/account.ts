import type { AccountReport } from "@postern/shared/contracts";
import { browserName } from "@postern/shared/domain/programs";
import { printable, table } from "../table.ts";
import { readAccount } from "./answers.ts";
import type { OperatorCommand } from "./operator-command.ts";

type Rows = readonly (readonly string[])[];

function backendRows({ backends }: AccountReport): Rows {
  return backends.map(({ name, outcome, code, account, groups, stores }) => [
    name,
    code === undefined ? outcome : `${outcome} (${code})`,
    account ?? "-",
    groups?.join(" ") ?? "-",
    stores.join(" "),
  ]);
}

function factorRows({ factors }: AccountReport): Rows {
  if (factors === undefined) return [];
  const { totp, recovery_codes_left: codes, wrong_codes: wrong, passkeys } = factors;
  return [
    ...(totp ? [["totp", "authenticator app", `${wrong.totp ?? 0} wrong codes`]] : []),
    ...(codes > 0 ? [["recovery", `${codes} recovery codes left`, `${wrong.recovery ?? 0} wrong codes`]] : []),
    ...passkeys.map(({ id, name, last_used: used }) => [
      id,
      `passkey ${name}`.trimEnd(),
      `last used ${used ?? "never"}`,
    ]),
  ];
}

function appPasswordRows({ app_passwords: passwords }: AccountReport): Rows {
  return passwords.map(({ id, label, protocols, created, last_used: used }) => [
    id,
    label,
    protocols.join(" ") || "all",
    created,
    used ?? "never",
  ]);
}

function deviceRows({ remembered_devices: devices = [] }: AccountReport): Rows {
  return devices.map(({ id, user_agent: agent, client_ip: address, since, last_used: used, until }) => [
    id,
    address || "-",
    since,
    used,
    until,
    browserName(agent),
  ]);
}

function notificationRows({ notifications }: AccountReport): Rows {
  return notifications.map(({ time, event, channel, outcome }) => [time, event, channel, outcome]);
}

function part(head: readonly string[], rows: Rows): readonly string[] {
  return rows.length === 0 ? [] : ["", ...table(head, rows)];
}

function linesOf(report: AccountReport): readonly string[] {
  const { query, account, incomplete } = report;
  const whose = account === undefined ? `no backend that answered has the account ${query}` : `account ${account}`;
  return [
    printable(whose),
    ...incomplete.map((missing) => printable(`incomplete: ${missing}`)),
    ...part(["BACKEND", "ANSWER", "ACCOUNT", "GROUPS", "STORES"], backendRows(report)),
    ...part(["FACTOR", "WHAT", "DETAILS"], factorRows(report)),
    ...part(["REMEMBERED DEVICE", "FROM", "SINCE", "LAST USED", "UNTIL", "BROWSER"], deviceRows(report)),
    ...part(["APP PASSWORD", "LABEL", "PROTOCOLS", "CREATED", "LAST USED"], appPasswordRows(report)),
    ...part(["SENT", "NOTIFICATION", "CHANNEL", "OUTCOME"], notificationRows(report)),
  ];
}

export const accountCommand: OperatorCommand = {
  usage: "account USER [--protocol NAME]",
  summary: "show what the services know about an account",
  help: [
    "Shows what each backend says, second factors with counts of wrong codes, remembered devices, app passwords with last use,",
    "and the user notifications of the last 30 days. Nothing secret is shown. --protocol NAME selects the searches of the backends, imap by",
    "default. The exit code is 1 if no backend has the account. Audited as account.read.",
  ],
  operands: { min: 1, max: 1 },
  options: ["protocol"],
  run: async ({ api, operands: [account = ""], flags: { protocol } }) => {
    const body = { account, ...(protocol !== undefined && { protocol }) };
    const report = readAccount(await api.ask("showAccount", { body }));
    return { exitCode: report.account === undefined ? 1 : 0, lines: linesOf(report), json: report };
  },
};

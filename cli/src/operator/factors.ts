import { printable, table } from "../table.ts";
import { readCredentials, readDevicesForgotten, readFactors } from "./answers.ts";
import { UsageError } from "./connection.ts";
import type { CommandContext, OperatorCommand, Shown } from "./operator-command.ts";

const usage = "factors list|reset|forget USER [--factor totp|recovery|PASSKEY|all]";

type Factors = ReturnType<typeof readFactors>;

async function askFactors(username: string, { api }: CommandContext): Promise<Factors> {
  return readFactors(await api.ask("listSecondFactors", { query: { username } }));
}

function rowsOf({ totp, recovery_codes_left: codes, passkeys }: Factors): readonly (readonly string[])[] {
  return [
    ...(totp ? [["totp", "authenticator app"]] : []),
    ...(codes > 0 ? [["recovery", `${codes} recovery codes left`]] : []),
    ...passkeys.map(({ id, name }) => [id, `passkey ${name}`.trimEnd()]),
  ];
}

async function list(username: string, context: CommandContext): Promise<Shown> {
  const factors = await askFactors(username, context);
  const rows = rowsOf(factors);
  const { account, app_passwords: passwords } = factors;
  const none = `${printable(account)} has no second factor`;
  return {
    lines: [
      ...(rows.length === 0 ? [none] : table(["FACTOR", "WHAT"], rows)),
      ...(passwords === 0 ? [] : ["", `app passwords: ${passwords}`]),
    ],
    json: factors,
  };
}

/** Removes the passkeys of these ids, each as its backend stores it. */
async function removePasskeys(username: string, ids: readonly string[], { api }: CommandContext): Promise<void> {
  if (ids.length === 0) return;
  const { credentials } = readCredentials(await api.ask("listWebauthnCredentials", { query: { username } }));
  const meant = credentials.filter((text) => {
    const { id }: { readonly id?: unknown } = JSON.parse(text);
    return typeof id === "string" && ids.includes(id);
  });
  for (const credential of meant) await api.ask("deleteWebauthnCredential", { body: { username, credential } });
}

async function reset(username: string, context: CommandContext): Promise<Shown> {
  const { api, flags } = context;
  const factors = await askFactors(username, context);
  const present = rowsOf(factors).flatMap(([name]) => name ?? []);
  const { factor } = flags;
  if (factor === undefined) throw new UsageError(`specify the factor to remove, or all; usage: postern ${usage}`);
  const removed = factor === "all" ? present : present.filter((name) => name === factor);
  const whose = printable(factors.account);
  if (removed.length === 0) {
    const text = factor === "all" ? `${whose} has no second factor` : `${whose} has no factor ${printable(factor)}`;
    return { exitCode: factor === "all" ? 0 : 1, lines: [text], json: { removed } };
  }
  if (removed.includes("totp")) await api.ask("deleteTotpSecret", { body: { username } });
  if (removed.includes("recovery")) await api.ask("deleteRecoveryCodes", { body: { username } });
  const passkeys = factors.passkeys.map(({ id }) => id).filter((id) => removed.includes(id));
  await removePasskeys(username, passkeys, context);
  return { lines: [`removed from ${whose}: ${printable(removed.join(" "))}`], json: { removed } };
}

async function forget(username: string, { api }: CommandContext): Promise<Shown> {
  const done = readDevicesForgotten(await api.ask("forgetUserDevices", { body: { username } }));
  const { forgotten, is_complete: isComplete } = done;
  return {
    lines: [
      `${forgotten} remembered device${forgotten === 1 ? "" : "s"} forgotten: the second factor is asked for again`,
      ...(isComplete
        ? []
        : [
            "warning: not every backend could be asked, so further accounts may have this name: repeat the command later",
          ]),
    ],
    json: done,
  };
}

const actions: Readonly<Record<string, typeof list>> = { list, reset, forget };

export const factorsCommand: OperatorCommand = {
  usage,
  summary: "list or remove the second factors of a user, or forget remembered devices",
  help: [
    "`factors list` shows the authenticator app, the number of unused recovery codes, passkeys and app passwords.",
    "`factors reset` removes the one that --factor names as the list does, or all of them, for example when a telephone is",
    "lost. Verify the caller's identity first. Afterwards the password is enough, unless an application requires a second factor.",
    "To unlock factors after too many wrong codes without removing them, use `postern unlock USER`. All are audited.",
    "`factors forget` asks for the second factor again on the devices on which the user chose not to be asked; `postern account`",
    "lists them.",
  ],
  operands: { min: 2, max: 2 },
  actions: ["list", "reset", "forget"],
  options: ["factor"],
  run: (context) => {
    const [action, username = ""] = context.operands;
    return (actions[action ?? ""] ?? list)(username, context);
  },
};

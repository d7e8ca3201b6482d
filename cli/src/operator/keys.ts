import type { SigningKeyListed } from "@postern/shared/contracts";
import { table } from "../table.ts";
import { readSigningKeys, readSigningKeysRotated } from "./answers.ts";
import type { CommandContext, OperatorCommand, Shown } from "./operator-command.ts";

const usage = "keys [rotate]";
const head = ["KEY", "ALGORITHMS", "SIGNS", "CREATED", "SOURCE"];

function signsOf({ signs, signs_from: from }: SigningKeyListed): string {
  if (signs.length > 0) return signs.join(" ");
  return from === undefined ? "no" : `from ${from}`;
}

function keyLines(keys: readonly SigningKeyListed[]): readonly string[] {
  const rows = keys.map((key) => [key.kid, key.algorithms.join(" "), signsOf(key), key.created ?? "-", key.source]);
  return table(head, rows);
}

async function list({ api }: CommandContext): Promise<Shown> {
  const { keys } = readSigningKeys(await api.ask("listSigningKeys"));
  return { lines: keyLines(keys), json: { keys } };
}

async function rotate({ api }: CommandContext): Promise<Shown> {
  const { created, keys } = readSigningKeysRotated(await api.ask("rotateSigningKeys"));
  const done = created.length === 0 ? "nothing was rotated: successors of all keys wait to sign" : "rotated";
  return { lines: [done, "", ...keyLines(keys)], json: { created, keys } };
}

export const keysCommand: OperatorCommand = {
  usage,
  summary: "list or rotate the keys that sign tokens of the identity provider",
  help: [
    "`keys rotate` generates a successor for each generated key. It is published at once and signs after",
    "identity.oidc.key_publish_delay. Its predecessor stays published until the last token that it signed has expired, so no",
    "token becomes invalid. Keys in identity.oidc.signing_keys are replaced in the configuration.",
  ],
  operands: { min: 0, max: 1 },
  actions: ["rotate"],
  run: async (context) => {
    const [action] = context.operands;
    return action === "rotate" ? rotate(context) : list(context);
  },
};

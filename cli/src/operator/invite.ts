import { printable } from "../table.ts";
import { readInvitation } from "./answers.ts";
import type { CommandContext, OperatorCommand, Shown } from "./operator-command.ts";

async function invite({ api, operands }: CommandContext): Promise<Shown> {
  const [username = ""] = operands;
  const invitation = readInvitation(await api.ask("inviteOperator", { body: { username } }));
  const { account, code, expires } = invitation;
  return {
    lines: [`code for ${printable(account)}, once, until ${expires}:`, "", `  ${code}`],
    json: { ...invitation },
  };
}

export const inviteCommand: OperatorCommand = {
  usage: "invite USER",
  summary: "create a code that admits a new operator to the console",
  help: [
    "The operator sets up a second factor, signs in to the console with it, and enters the code. From then on, the console accepts",
    "this factor, and others that are set up with it. The code works once, for a day. Pass it on in person. It assigns no role.",
  ],
  operands: { min: 1, max: 1 },
  run: invite,
};

import { readUnlocked } from "./answers.ts";
import type { CommandContext, OperatorCommand, Shown } from "./operator-command.ts";

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

export const unlockCommand: OperatorCommand = {
  usage: "unlock USER",
  summary: "unlock the second factors of a user",
  help: [
    "A second factor is locked after identity.mfa.totp.max_failures consecutive wrong codes, given after the correct password.",
    "If it was not the user, someone else knows the password: have it changed first. Each factor is locked separately.",
  ],
  operands: { min: 1, max: 1 },
  run: unlock,
};

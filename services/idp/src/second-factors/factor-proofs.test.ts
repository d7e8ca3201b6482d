import { expect, test } from "vitest";
import { createFactorProofs } from "./factor-proofs.ts";

const nowSeconds = 1_800_000_000;

function proofsAt(minute: number) {
  const records = new Map<string, { readonly isDoubted: boolean; readonly isVouched: boolean }>();
  const unrecorded = { minute: 0, isDoubted: false, isVouched: true };
  return createFactorProofs(
    {
      idOf: (kind, part) => `${kind}:${part}`,
      find: async (_account, id) => {
        const found = records.get(id);
        return found === undefined ? unrecorded : { minute, ...found };
      },
      note: async (_account, id, how) => {
        records.set(id, how);
        return true;
      },
    },
    { earliestUnanswered: async () => undefined, knownAfterMinutes: () => 1440 },
    () => nowSeconds * 1000,
  );
}

const secret = "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP";

test.each([
  secret,
  `${secret}        `,
  secret.toLowerCase(),
  `${secret.slice(0, 30)}XP======`,
  `otpauth://totp/Mail:anna?secret=${secret}&issuer=Mail`,
])("a secret that a backend returns as %j has the record of its enrolment", async (stored) => {
  const minute = nowSeconds / 60;
  const proofs = proofsAt(minute);
  await proofs.note({ account: "anna", signIn: { loginTs: nowSeconds } }, { kind: "totp", part: secret });
  const { factor } = await proofs.ofSignIn("anna", { kind: "totp", part: stored }, false);
  expect(factor).toEqual({ id: `totp:${secret}`, isVouched: false, since: minute });
});

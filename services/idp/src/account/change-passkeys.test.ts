import { AppError } from "@postern/shared/platform/errors";
import { expect, test } from "vitest";
import type { Change } from "../second-factors/factor-store-nats.ts";
import { createChangePasskeys } from "./change-passkeys.ts";
import type { FactorOwner } from "./factor-owner.ts";

const english = { tag: "en", name: "English", direction: "ltr" } as const;
const owner: FactorOwner = {
  account: "a@example.test",
  sessionUid: "uid",
  signIn: { loginTs: 0 },
  context: { session: "session", deadline: Number.POSITIVE_INFINITY, signal: new AbortController().signal },
  origin: { clientIp: "192.0.2.1", userAgent: "", language: english, attributes: {} },
};

const unused = (): Promise<never> => Promise.reject(new Error("not expected"));

type Removal = (stored: string[], text: string) => Promise<Change>;

/** An account with two passkeys, whose removals end in turn as `ends` say. */
function passkeysWith(...ends: readonly Removal[]) {
  const stored = ["one", "two"];
  const left = [...ends];
  const notified: string[] = [];
  const passkeys = createChangePasskeys({
    store: {
      read: async (account) => ({
        account,
        hasTotp: false,
        recoveryCodesLeft: 0,
        webauthnCredentials: [...stored],
        appPasswords: 0,
      }),
      deleteCredential: (_account, text) => (left.shift() ?? unused)(stored, text),
      addCredential: unused,
      replaceCredential: unused,
      deleteRecoveryCodes: unused,
    },
    ceremonies: { finishRegistration: unused },
    proofs: { note: unused, mayRemove: async () => true },
    notify: ({ event, factor }) => void notified.push(`${event} ${factor}`),
  });
  return { passkeys, notified };
}

const done: Removal = async (stored, text) => {
  stored.splice(stored.indexOf(text), 1);
  return "done";
};
/** Another request has changed its text in between. */
const changed: Removal = async () => "done";
const refused: Removal = async () => "refused";
const unavailable: Removal = () => Promise.reject(new AppError("UPSTREAM_UNAVAILABLE"));
const lostReply: Removal = async (stored, text) => {
  await done(stored, text);
  throw new AppError("UPSTREAM_UNAVAILABLE");
};

test("the removal of all passkeys is one notification", async () => {
  const { passkeys, notified } = passkeysWith(done, done);
  expect(await passkeys.removePasskeys(owner, undefined)).toBe("done");
  expect(notified).toEqual(["factor_removed webauthn"]);
});

test("the user is notified if only some passkeys could be removed", async () => {
  const partial = passkeysWith(done, refused);
  expect(await partial.passkeys.removePasskeys(owner, undefined)).toBe("refused");
  expect(partial.notified).toEqual(["factor_removed webauthn"]);

  const interrupted = passkeysWith(done, unavailable);
  await expect(interrupted.passkeys.removePasskeys(owner, undefined)).rejects.toThrow(AppError);
  expect(interrupted.notified).toEqual(["factor_removed webauthn"]);

  const unknown = passkeysWith(lostReply);
  await expect(unknown.passkeys.removePasskeys(owner, undefined)).rejects.toThrow(AppError);
  expect(unknown.notified).toEqual(["factor_removed webauthn"]);
});

test("the user is not notified if no passkey was removed", async () => {
  for (const ends of [[refused], [changed, refused]]) {
    const { passkeys, notified } = passkeysWith(...ends);
    expect(await passkeys.removePasskeys(owner, undefined)).toBe("refused");
    expect(notified).toEqual([]);
  }
});

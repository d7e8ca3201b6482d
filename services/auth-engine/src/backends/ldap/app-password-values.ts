import { type Static, Type } from "typebox";
import { Value } from "typebox/value";
import type { MfaAccount, StoredAppPassword } from "../second-factor-store.ts";
import type { CredentialValues } from "./credential-values.ts";

const Stored = Type.Object({
  id: Type.String({ minLength: 1 }),
  digest: Type.String({ minLength: 1 }),
  label: Type.String(),
  protocols: Type.Array(Type.String()),
  createdAt: Type.Number(),
  lastUsedAt: Type.Optional(Type.Number()),
});

/** Undefined for values that Postern did not write: a value that a person typed must not break every sign-in. */
function parsed(text: string): Static<typeof Stored> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return Value.Check(Stored, value) ? value : undefined;
  } catch {
    return undefined;
  }
}

const written = ({ id, digest, label, protocols, createdAt, lastUsedAt }: StoredAppPassword): string =>
  JSON.stringify({ id, digest, label, protocols, createdAt, lastUsedAt });

type AppPasswordMethods = "listAppPasswords" | "addAppPassword" | "removeAppPassword" | "touchAppPassword";

/** One JSON object per value. */
export function createAppPasswordValues(values: CredentialValues): Pick<MfaAccount, AppPasswordMethods> {
  return {
    listAppPasswords: async (context) => (await values.read(context)).flatMap((text) => parsed(text) ?? []),
    addAppPassword: (stored, context) => values.add(written(stored), context),
    // Not by its text, which a simultaneous sign-in changes: the app password would remain.
    removeAppPassword: (id, context) => values.removeMatching((text) => parsed(text)?.id === id, context),
    touchAppPassword: async (id, at, context) => {
      const text = (await values.read(context)).find((value) => parsed(value)?.id === id);
      const stored = text === undefined ? undefined : parsed(text);
      if (text === undefined || stored === undefined) return;
      await values.exchange(text, written({ ...stored, lastUsedAt: at }), context);
    },
  };
}

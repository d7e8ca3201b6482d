import { type Static, type TSchema, Type } from "typebox";

const closed = { additionalProperties: false };
/** An empty Lua table may be a list or an object, so both are accepted. */
const listOf = <Item extends TSchema>(item: Item) => Type.Union([Type.Array(item), Type.Object({}, closed)]);
const texts = Type.Optional(listOf(Type.String({ minLength: 1 })));
const seconds = Type.Integer({ minimum: 0 });

/** What `mfa_account` returns; `supports` lists the kinds of credentials that the script stores. */
export const MfaAccountResult = Type.Object(
  {
    result: Type.Union([Type.Literal("ok"), Type.Literal("unknown_user")]),
    account: Type.Optional(Type.String({ minLength: 1 })),
    display_name: Type.Optional(Type.String()),
    unique_user_id: Type.Optional(Type.String({ minLength: 1 })),
    disabled: Type.Optional(Type.Boolean()),
    supports: Type.Optional(
      listOf(
        Type.Union([
          Type.Literal("totp"),
          Type.Literal("recovery_codes"),
          Type.Literal("webauthn"),
          Type.Literal("app_passwords"),
        ]),
      ),
    ),
  },
  closed,
);

/** What `mfa_read` returns. */
export const MfaFactorsResult = Type.Object(
  { totp_secret: Type.Optional(Type.String()), recovery_codes: texts, webauthn_credentials: texts },
  closed,
);

/** What `mfa_list_app_passwords` returns. */
export const MfaAppPasswordsResult = listOf(
  Type.Object(
    {
      id: Type.String({ minLength: 1 }),
      digest: Type.String({ minLength: 1 }),
      label: Type.Optional(Type.String()),
      protocols: texts,
      created_at: Type.Optional(seconds),
      last_used_at: Type.Optional(seconds),
    },
    closed,
  ),
);
export type MfaAppPasswordsResult = Static<typeof MfaAppPasswordsResult>;

/** What `mfa_find_webauthn` returns: the accounts. */
export const MfaHoldersResult = listOf(Type.String({ minLength: 1 }));

/** What functions return that change something only if it exists: whether it existed. */
export const MfaChangedResult = Type.Boolean();

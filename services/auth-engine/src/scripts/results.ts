import type { LuaValue } from "@postern/shared/domain/scripts";
import { AppError } from "@postern/shared/platform/errors";
import { type Static, type TSchema, Type } from "typebox";
import { Compile } from "typebox/compile";

const message = Type.Optional(Type.String({ maxLength: 1024, pattern: "^[^\\u0000-\\u001f\\u007f]*$" }));
const attributeName = "^[A-Za-z0-9_.-]{1,64}$";
const attributeValue = Type.Union([Type.String(), Type.Array(Type.String())]);
const attributes = Type.Optional(Type.Record(Type.String({ pattern: attributeName }), attributeValue));
export const closed = { additionalProperties: false };

/** A list that a script returns; an empty Lua table is an empty list. */
export function listOf<Item extends TSchema>(item: Item, maxItems?: number) {
  return Type.Union([Type.Array(item, maxItems === undefined ? {} : { maxItems }), Type.Object({}, closed)]);
}

/** What `environment` returns; if it returns nothing, the request continues. */
export const EnvironmentResult = Type.Object(
  {
    deny: Type.Optional(Type.Boolean()),
    skip: Type.Optional(Type.Boolean({ description: "Skips the environment scripts after this one." })),
    message,
  },
  closed,
);

/** What `subject` returns. */
export const SubjectResult = Type.Object(
  {
    deny: Type.Optional(Type.Boolean()),
    message,
    attributes,
    upstream: Type.Optional(
      Type.Object({ address: Type.String(), port: Type.Integer({ minimum: 1, maximum: 65_535 }) }, closed),
    ),
  },
  closed,
);

/** What `verify_password` and `lookup` return. */
export const BackendResult = Type.Object(
  {
    result: Type.Union([
      Type.Literal("ok"),
      Type.Literal("wrong_password"),
      Type.Literal("password_unverifiable"),
      Type.Literal("account_disabled"),
      Type.Literal("unknown_user"),
    ]),
    account: Type.Optional(Type.String({ minLength: 1 })),
    unique_user_id: Type.Optional(Type.String()),
    account_field: Type.Optional(Type.String({ minLength: 1 })),
    totp_secret_field: Type.Optional(Type.String()),
    groups: Type.Optional(listOf(Type.String({ minLength: 1 }), 1000)),
    attributes,
  },
  closed,
);

/** What `cache_flush` returns; if it returns nothing, the name has no further names. */
export const CacheFlushResult = Type.Object(
  {
    accounts: Type.Optional(listOf(Type.String({ minLength: 1, maxLength: 1024 }), 64)),
    keys: Type.Optional(listOf(Type.String(), 1000)),
  },
  closed,
);

/** What `list_accounts` returns. */
export const ListResult = Type.Object(
  { accounts: Type.Optional(Type.Unknown()), next: Type.Optional(Type.String({ minLength: 1, maxLength: 1024 })) },
  closed,
);

/** Compiles the schema of a stage's result once; the reader throws `SCRIPT_FAILED` for any other result. */
export function resultReader<Schema extends TSchema>(schema: Schema) {
  const compiled = Compile(schema);
  return (script: string, value: LuaValue): Static<Schema> => {
    const result: unknown = value ?? {};
    if (compiled.Check(result)) return result;
    const [first] = compiled.Errors(result);
    const detail = `${script} returned an invalid result for its stage: ${first?.instancePath ?? ""} ${first?.message ?? ""}`;
    throw new AppError("SCRIPT_FAILED", { detail });
  };
}

type Values = Readonly<Record<string, string | readonly string[]>>;

/** Attributes as decisions carry them. */
export function attributesOf(values: Values | undefined): Record<string, string[]> {
  const entries = Object.entries(values ?? {});
  return Object.fromEntries(entries.map(([name, value]) => [name, typeof value === "string" ? [value] : [...value]]));
}

/** A list in a result; an empty table is an empty list. */
export function itemsOf<Item>(list: readonly Item[] | object | undefined): readonly Item[] {
  return Array.isArray(list) ? list : [];
}
